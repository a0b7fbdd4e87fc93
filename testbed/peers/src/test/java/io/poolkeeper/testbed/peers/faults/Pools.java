package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.peers.pools.PeerPool;
import io.poolkeeper.testbed.peers.pools.PeerPools;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Pools by name, ours among them. */
final class Pools {

  static final long REAL_SECONDS = 300;

  private Pools() {}

  static PeerPool named(String name, int size) {
    if (name.equals("poolkeeper")) {
      return new OurPool(size);
    }
    Map<String, IntFunction<PeerPool>> makers = PeerPools.all();
    assumeTrue(makers.containsKey(name), "the running JDK has no " + name);
    return Objects.requireNonNull(makers.get(name)).apply(size);
  }

  static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(REAL_SECONDS, TimeUnit.SECONDS)).as("in time").isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The pool was closed.
    }
  }
}
