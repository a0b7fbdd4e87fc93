package io.tidepool.testbed.simulator.engine.flow;

import io.tidepool.testbed.clients.random.RequestChoice;
import io.tidepool.testbed.simulator.engine.event.Actor;
import io.tidepool.testbed.simulator.engine.measure.RequestMeter;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;

/** Clients in a run: sends requests and hears of their ends. */
public abstract class Source implements Actor {

  final RequestChoice choice;
  final UniformRandomProvider choices;
  private final int number;
  private final int firstClient;
  private final Flow flow;
  private final Target[] targets;
  private final RequestMeter[] meters;

  /**
   * @param number as tasks name it
   * @param firstClient what events add to the number of a client
   * @param targets where requests go, in the order of their names
   * @param choices random numbers of the choice of requests
   */
  Source(
      int number,
      int firstClient,
      Flow flow,
      List<Target> targets,
      List<RequestMeter> meters,
      RequestChoice choice,
      UniformRandomProvider choices) {
    this.number = number;
    this.firstClient = firstClient;
    this.flow = flow;
    this.targets = targets.toArray(Target[]::new);
    this.meters = meters.toArray(RequestMeter[]::new);
    this.choice = choice;
    this.choices = choices;
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
