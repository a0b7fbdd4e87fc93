/** HTTP/1.1 without input and output: bytes to requests, answers to bytes, in the right order. */
@NullMarked
package io.poolkeeper.testbed.servers.http;

import org.jspecify.annotations.NullMarked;
