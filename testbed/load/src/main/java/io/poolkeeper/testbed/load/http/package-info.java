/**
 * The way of one request to the server and of its answer back: a client of HTTP/1.1 on the
 * selectors of the JDK, which allocates nothing for a request.
 */
@NullMarked
package io.poolkeeper.testbed.load.http;

import org.jspecify.annotations.NullMarked;
