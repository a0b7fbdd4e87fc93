package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.clients.random.PhaseChoices;
import io.poolkeeper.testbed.simulator.engine.measure.RequestMeter;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;

/**
 * Wiring of a source, whatever its clients do: its place in the run, where it sends, and what it
 * draws.
 *
 * @param number of the source, as tasks name it
 * @param firstClient what events add to the number of a client
 * @param flow takes the requests
 * @param targets where requests go, in the order of their names
 * @param meters what hears of answers, in the same order
 * @param choices which request is sent next, by phase
 * @param random random numbers of the choice
 * @param thinkTime seconds between an answer and the next request
 */
public record Wiring(
    int number,
    int firstClient,
    Flow flow,
    List<Target> targets,
    List<RequestMeter> meters,
    PhaseChoices choices,
    UniformRandomProvider random,
    ContinuousSampler thinkTime) {}
