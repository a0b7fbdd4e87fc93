package io.tidepool.testbed.load.description;

import java.time.Duration;

/**
 * A span of the load during which the number of users does not change.
 *
 * @param users users that are active, 0 or more
 * @param length how long it lasts, above 0
 */
public record Phase(int users, Duration length) {}
