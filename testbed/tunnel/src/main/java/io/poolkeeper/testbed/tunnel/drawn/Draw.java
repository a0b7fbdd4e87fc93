package io.poolkeeper.testbed.tunnel.drawn;

import io.poolkeeper.testbed.tunnel.plan.Cell;

/**
 * A plant with its load and its noise, all drawn from one seed.
 *
 * @param seed the seed
 * @param shape the kind of its curve; of the first one, if the plant becomes another
 * @param category the circumstances
 * @param cell the drawn plant, load and noise
 */
public record Draw(long seed, Shape shape, Category category, Cell cell) {}
