/** The servlet that every host serves. It needs nothing of the host but Jakarta's API. */
@NullMarked
package io.poolkeeper.testbed.hosts.servlet;

import org.jspecify.annotations.NullMarked;
