package io.poolkeeper.testbed.peers;

import com.netflix.concurrency.limits.Limit;
import io.poolkeeper.testbed.controllers.rules.SampleRule;

/**
 * A limit of Netflix concurrency-limits as it is published. It is told when a task began, how long
 * it ran and how many ran with it, so it runs in virtual time.
 */
public final class NetflixRule implements SampleRule {

  private final String name;
  private final Limit limit;
  private boolean started;
  private long origin;

  /**
   * @param name name by which people know it
   * @param limit one that nobody else feeds
   */
  public NetflixRule(String name, Limit limit) {
    this.name = name;
    this.limit = limit;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int limit() {
    return limit.getLimit();
  }

  /** Times reach the limit from 0 on: it compares them with a first end of 0. */
  @Override
  public void sample(long start, long time, int inFlight, boolean dropped) {
    if (time <= 0) {
      return; // It would throw.
    }
    if (!started) {
      started = true;
      origin = start;
    }
    limit.onSample(start - origin, time, inFlight, dropped);
  }

  @Override
  public String reason() {
    return limit.toString();
  }
}
