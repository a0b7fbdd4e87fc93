/**
 * The load generator: users who send HTTP requests at a server as a load description says, and a
 * record of what they saw that can be trusted, because it says when the generator itself was what
 * limited it.
 *
 * <p>{@link io.poolkeeper.testbed.load.LoadMain} is the command. Who sends what and when ({@code
 * traffic}, as a {@code description} says) is apart from how it is sent ({@code http}), how it is
 * counted ({@code measure}) and how that is written ({@code record}); {@code run} puts these
 * together.
 */
@NullMarked
package io.poolkeeper.testbed.load;

import org.jspecify.annotations.NullMarked;
