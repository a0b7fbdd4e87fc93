/**
 * The published limiters of others behind the interface of policies: the artifact decides, never a
 * copy of it.
 *
 * <p>Sentinel's adaptive rule (a limit of threads while the load of the system is high) has no
 * adapter: its clock and its counters are static and real, it reads the load from the operating
 * system once a second, and it answers each call with yes or no instead of a size, so that it can
 * run neither in virtual time nor twice in a process. Its admission check runs as itself in the
 * tests of faults.
 */
@NullMarked
package io.poolkeeper.testbed.peers;

import org.jspecify.annotations.NullMarked;
