package io.poolkeeper.testbed.servers.admission;

import io.poolkeeper.testbed.servers.admission.Admission.Permit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A limit that nothing changes, or none at all. */
public final class FixedLimit implements Limit {

  private final AtomicInteger running = new AtomicInteger();
  private final int limit;
  private final boolean limited;
  private final Permit permit =
      new Permit() {
        @Override
        public void success() {
          running.decrementAndGet();
        }

        @Override
        public void dropped() {
          running.decrementAndGet();
        }

        @Override
        public void ignore() {
          running.decrementAndGet();
        }
      };

  private FixedLimit(int limit, boolean limited) {
    this.limit = limit;
    this.limited = limited;
  }

  /** Admits so many at once, 1 or more. */
  public static FixedLimit of(int limit) {
    return new FixedLimit(limit, true);
  }

  /** Admits everything. */
  public static FixedLimit none() {
    return new FixedLimit(Integer.MAX_VALUE, false);
  }

  @Override
  public @Nullable Permit tryAcquire() {
    int before = running.get();
    while (before < limit) {
      if (running.compareAndSet(before, before + 1)) {
        return permit;
      }
      before = running.get();
    }
    return null;
  }

  /** The limit; without one, what runs now. */
  @Override
  public int value() {
    return limited ? limit : Math.max(1, running.get());
  }

  @Override
  public String reason() {
    return limited ? "nothing changes it" : "there is no limit: so many run";
  }
}
