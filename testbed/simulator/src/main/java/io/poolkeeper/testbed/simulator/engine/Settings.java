package io.poolkeeper.testbed.simulator.engine;

import io.poolkeeper.testbed.simulator.engine.measure.ResponseListener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a run.
 *
 * @param seed any number; the same seed, model and controllers give the same run
 * @param statistics whether pools keep the times of their tasks
 * @param digits significant digits of the times that are kept, 1 to 5
 * @param batches how many batches the measured time is cut into, 2 or more
 * @param bounds response times whose goodput is measured batch by batch, nanoseconds
 * @param listener hears of every request that ended
 */
public record Settings(
    long seed,
    boolean statistics,
    int digits,
    int batches,
    List<Long> bounds,
    @Nullable ResponseListener listener) {}
