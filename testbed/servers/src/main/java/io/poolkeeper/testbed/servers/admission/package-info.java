/**
 * Limits on what is processed at once, in front of a server: what is beyond the limit is refused,
 * or waits for a while. The limits are the library's own and those that others published, behind
 * one interface, so that overload can be compared.
 */
@NullMarked
package io.poolkeeper.testbed.servers.admission;

import org.jspecify.annotations.NullMarked;
