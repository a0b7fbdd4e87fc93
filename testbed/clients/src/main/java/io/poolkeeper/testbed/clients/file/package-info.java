/**
 * How descriptions stand in files: values with their lines and units, so that whatever is wrong is
 * told with its place before anything is sent.
 */
@NullMarked
package io.poolkeeper.testbed.clients.file;

import org.jspecify.annotations.NullMarked;
