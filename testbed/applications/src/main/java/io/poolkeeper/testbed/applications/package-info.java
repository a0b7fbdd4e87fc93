/**
 * The applications that the servers of the testbed serve. An application knows nothing of HTTP,
 * pools or threads, so that the same one runs behind every server.
 */
@NullMarked
package io.poolkeeper.testbed.applications;

import org.jspecify.annotations.NullMarked;
