package io.poolkeeper.testbed.servers.admission;

import io.poolkeeper.spi.Ticker;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.servers.admission.Admission.Permit;
import org.jspecify.annotations.Nullable;

/** A limit by a rule that was built from its description. */
public final class RuleLimit implements Limit {

  private final SampleRule rule;
  private final Ticker ticker;
  private int running;

  /** Takes the rule over; nobody else may feed it. */
  public RuleLimit(SampleRule rule, Ticker ticker) {
    this.rule = rule;
    this.ticker = ticker;
  }

  @Override
  public synchronized @Nullable Permit tryAcquire() {
    if (running >= rule.limit()) {
      return null;
    }
    running++;
    return new Held(ticker.nanoTime());
  }

  private synchronized void ended(long start, boolean dropped) {
    rule.sample(start, ticker.nanoTime() - start, running, dropped);
    running--;
  }

  private synchronized void ignored() {
    running--;
  }

  @Override
  public synchronized int value() {
    return rule.limit();
  }

  @Override
  public synchronized String reason() {
    return rule.reason();
  }

  private final class Held implements Permit {
    private final long start;

    private Held(long start) {
      this.start = start;
    }

    @Override
    public void success() {
      ended(start, false);
    }

    @Override
    public void dropped() {
      ended(start, true);
    }

    @Override
    public void ignore() {
      ignored();
    }
  }
}
