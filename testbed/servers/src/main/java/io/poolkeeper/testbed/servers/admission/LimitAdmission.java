package io.poolkeeper.testbed.servers.admission;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.servers.handover.Traffic;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Admission by a {@link Limit} that somebody else published. Nothing ever waits: what is beyond the
 * limit is refused. It measures what the limit admits, and reports the limit as its size, so that
 * it can be recorded as a pool is.
 */
public final class LimitAdmission implements Admission, Resizable, Sensor {

  private final String name;
  private final Bounds bounds;
  private final Limit limit;
  private final Traffic traffic;

  /**
   * @param name name in records
   * @param bounds within which the limit lies
   */
  public LimitAdmission(String name, Bounds bounds, Limit limit, Objective objective) {
    this.name = name;
    this.bounds = bounds;
    this.limit = limit;
    this.traffic = new Traffic(objective, System.nanoTime());
  }

  @Override
  public CompletableFuture<Permit> ask() {
    Permit permit = limit.tryAcquire();
    long now = System.nanoTime();
    if (permit == null) {
      traffic.refused(now);
      return Admission.refusal();
    }
    traffic.admitted(now);
    return CompletableFuture.completedFuture(new Held(permit, now));
  }

  /** Reports the limit at the end of each window, in place of a controller. */
  public Controller reporter(String rule) {
    return new Controller() {
      private @Nullable Integer before;

      @Override
      public Decision decide(Window window) {
        int now = size();
        String change =
            before == null || now == before ? "the limit stays" : "the limit came from " + before;
        before = now;
        return Decision.towards(now, change + ": " + limit.reason());
      }

      @Override
      public String name() {
        return rule;
      }
    };
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return bounds.clamp(limit.value());
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    throw new IllegalArgumentException(
        "size cannot be set to %d: the limit sets itself".formatted(size));
  }

  @Override
  public Window closeWindow(long now) {
    return traffic.close(now, size());
  }

  private final class Held implements Permit {
    private final Permit permit;
    private final long start;

    private Held(Permit permit, long start) {
      this.permit = permit;
      this.start = start;
    }

    @Override
    public void success() {
      permit.success();
      traffic.ended(start, start, System.nanoTime(), false);
    }

    @Override
    public void dropped() {
      permit.dropped();
      traffic.ended(start, start, System.nanoTime(), true);
    }

    @Override
    public void ignore() {
      permit.ignore();
      traffic.withdrawn(System.nanoTime());
    }
  }
}
