package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.clients.random.Arrivals;
import io.poolkeeper.testbed.clients.random.RequestChoice;
import io.poolkeeper.testbed.simulator.engine.event.Time;

/**
 * Arrivals of requests or sessions. A session in thought is nothing but its entry on the calendar:
 * the number of the client there is the request that it will send.
 */
public final class ArrivingSource extends Source {

  private final Arrivals arrivals;

  /** Whether the arrival that {@link #arrivals} stands at is to be played. */
  private boolean arrives;

  public ArrivingSource(Arrivals arrivals, Wiring wiring) {
    super(wiring);
    this.arrivals = arrivals;
  }

  @Override
  public long act(long now) {
    if (arrives) {
      for (int i = arrivals.size(); i > 0; i--) {
        int request = choices.at(now).first(random);
        send(request, request, now);
      }
    }
    arrives = arrivals.next();
    return arrives ? Time.nanos(arrivals.at()) : Time.NEVER;
  }

  @Override
  public void wake(int request, long now) {
    send(request, request, now);
  }

  @Override
  void proceed(int client, int request, boolean failed, long now) {
    int next = choices.at(now).next(request, null, random);
    if (next != RequestChoice.END) {
      wakeAt(next, now + Time.nanos(thinkTime.sample()));
    }
  }
}
