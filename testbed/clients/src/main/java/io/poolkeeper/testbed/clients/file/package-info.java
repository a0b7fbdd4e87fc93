/**
 * Descriptions in files: values with their lines and units, so that whatever is wrong is reported
 * with its place before anything is sent.
 */
@NullMarked
package io.poolkeeper.testbed.clients.file;

import org.jspecify.annotations.NullMarked;
