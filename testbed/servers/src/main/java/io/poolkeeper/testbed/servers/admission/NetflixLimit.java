package io.poolkeeper.testbed.servers.admission;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.poolkeeper.testbed.servers.admission.Admission.Permit;
import org.jspecify.annotations.Nullable;

/** A limit of Netflix concurrency-limits behind its own limiter, both as they are published. */
public final class NetflixLimit implements Limit {

  private final com.netflix.concurrency.limits.Limit limit;
  private final Limiter<Void> limiter;

  /** Takes the limit over; nobody else may feed it. */
  public NetflixLimit(com.netflix.concurrency.limits.Limit limit) {
    this.limit = limit;
    this.limiter = SimpleLimiter.newBuilder().limit(limit).build();
  }

  @Override
  @SuppressWarnings("NullAway") // The limiter is not partitioned, and looks at no context.
  public @Nullable Permit tryAcquire() {
    return limiter.acquire(null).map(Held::new).orElse(null);
  }

  @Override
  public int value() {
    return limit.getLimit();
  }

  @Override
  public String reason() {
    return limit.toString();
  }

  private record Held(Limiter.Listener listener) implements Permit {

    @Override
    public void success() {
      listener.onSuccess();
    }

    @Override
    public void dropped() {
      listener.onDropped();
    }

    @Override
    public void ignore() {
      listener.onIgnore();
    }
  }
}
