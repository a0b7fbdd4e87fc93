package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.clients.random.PhaseChoices;
import io.poolkeeper.testbed.simulator.engine.event.Actor;
import io.poolkeeper.testbed.simulator.engine.measure.RequestMeter;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;

/** Clients in a run: sends requests and hears of their ends. */
public abstract class Source implements Actor {

  final PhaseChoices choices;
  final UniformRandomProvider random;
  final ContinuousSampler thinkTime;
  private final int number;
  private final int firstClient;
  private final Flow flow;
  private final Target[] targets;
  private final RequestMeter[] meters;

  Source(Wiring wiring) {
    number = wiring.number();
    firstClient = wiring.firstClient();
    flow = wiring.flow();
    targets = wiring.targets().toArray(Target[]::new);
    meters = wiring.meters().toArray(RequestMeter[]::new);
    choices = wiring.choices();
    random = wiring.random();
    thinkTime = wiring.thinkTime();
  }

  /** A client wakes up. */
  public abstract void wake(int client, long now);

  /** A client has its answer and goes on. */
  abstract void proceed(int client, int request, boolean failed, long now);

  final void send(int client, int request, long now) {
    flow.send(number, client, request, targets[request], now);
  }

  final void wakeAt(int client, long at) {
    flow.events.wakeClient(firstClient + client, at);
  }

  final void answered(int client, int request, long arrived, boolean failed, long now) {
    meters[request].ended(arrived, failed, now);
    proceed(client, request, failed, now);
  }
}
