/**
 * A discrete-event simulator of services: the clients, tiers, pools and disks of a {@link
 * io.poolkeeper.testbed.simulator.model.Model} in virtual time, with any controller on any pool. It
 * exists because a controller can be judged here in seconds instead of hours.
 */
@NullMarked
package io.poolkeeper.testbed.simulator;

import org.jspecify.annotations.NullMarked;
