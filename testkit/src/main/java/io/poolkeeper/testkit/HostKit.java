package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The tests that every integration passes, with its real host in this process. Extend it, and say
 * how the host is started and called.
 *
 * <p>The kit waits for conditions, with five minutes for each. So it tells whether a resize takes
 * effect under load, and not how fast.
 */
@Timeout(300)
public abstract class HostKit {

  /** Bounds of the pool under test. */
  protected static final Bounds BOUNDS = new Bounds(1, 16);

  /** Length of a window of the loop under test. */
  protected static final Duration WINDOW = Duration.ofMillis(20);

  /**
   * Time after which a pool of threads under test may add a worker for a hang, or a limiter may
   * write off a permit: longer than any test, since the kit holds calls while others wait.
   */
  protected static final Duration HANG = Duration.ofDays(1);

  private static final int CLIENTS = 12;

  /** Constructor for subclasses. */
  protected HostKit() {}

  /**
   * Starts a host with a pool of a size, of bounds {@link #BOUNDS}, and with a loop in {@link
   * Mode#FROZEN} and with windows of {@link #WINDOW}.
   */
  protected abstract Host start(int size) throws Exception;

  /** A host under test. After a restart its pool and its loop may be others. */
  public interface Host extends AutoCloseable {

    /** The pool that is resized. */
    Resizable pool();

    /** The loop that tunes it. */
    ControlLoop loop();

    /** Runs work inside the pool, as a request or with a connection, and waits for its end. */
    void call(Runnable work) throws Exception;

    /** Threads, connections or permits that the host has now. */
    int capacity();

    /** The size as the host's own metrics report it; empty for a host that has none of it. */
    default OptionalInt reportedSize() throws Exception {
      return OptionalInt.empty();
    }

    /** Stops the host and starts it again. */
    void restart() throws Exception;

    /** Stops the host for good. */
    @Override
    void close();
  }

  @Test
  void growthTakesEffectUnderLoad() throws Exception {
    try (Host host = start(2);
        HostLoad load = new HostLoad(host, CLIENTS)) {
      load.awaitInside(2);

      host.pool().resize(8); // No call ends, and no other one begins.

      load.awaitInside(8);
      assertThat(load.answered()).isZero();
      assertThat(host.pool().size()).isEqualTo(8);
      assertThat(load.peak()).isEqualTo(8);
    }
  }

  @Test
  void shrinkingTakesEffectUnderLoad() throws Exception {
    try (Host host = start(8);
        HostLoad load = new HostLoad(host, CLIENTS)) {
      load.awaitInside(8);

      host.pool().resize(3);
      load.flow();

      Conditions.await(
          () -> "three remain, but " + host.capacity() + " after " + load.answered() + " answers",
          () -> {
            load.requireNoFailure();
            return host.capacity() == 3;
          });
      load.hold();
      load.awaitInside(3);
      host.pool().resize(6);
      load.awaitInside(6);
      assertThat(load.peak()).isEqualTo(6);
      load.requireNoFailure();
    }
  }

  @Test
  void sizeOutOfBoundsChangesNothing() throws Exception {
    try (Host host = start(4)) {
      assertThatThrownBy(() -> host.pool().resize(17))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("17");
      assertThat(host.pool().size()).isEqualTo(4);
    }
  }

  @Test
  void signalsAddUp() throws Exception {
    try (Host host = start(2)) {
      WindowSums sums = WindowSums.onceIdle(host.loop());
      try (HostLoad load = new HostLoad(host, CLIENTS)) {
        load.awaitInside(2);
        Conditions.await(() -> "all have arrived: " + sums, () -> sums.present() == CLIENTS);
        load.flow();
        Conditions.await("many answers", () -> load.answered() > 100);
        load.hold();
        load.awaitInside(2);
        Conditions.await(() -> "all have arrived again: " + sums, () -> sums.present() == CLIENTS);
        Conditions.await(
            () -> "busy is two: " + sums, () -> Math.abs(sums.last().busy() - 2) < 0.05);
        Conditions.await(() -> "ten wait: " + sums, () -> sums.last().queueMax() == CLIENTS - 2);
        load.flow();
        load.requireNoFailure();
      }
      Conditions.await(() -> "all have ended: " + sums, () -> sums.present() == 0);
      // All were present twice. A host may answer several requests of a connection in one task.
      assertThat(sums.ended()).isGreaterThanOrEqualTo(2L * CLIENTS);
    }
  }

  @Test
  void hostReportsTheSize() throws Exception {
    try (Host host = start(4)) {
      assumeTrue(host.reportedSize().isPresent(), "the host has no metric of the size");
      assertThat(host.reportedSize()).hasValue(4);
      host.pool().resize(9);
      assertThat(host.reportedSize()).hasValue(9);
      host.pool().resize(2);
      assertThat(host.reportedSize()).hasValue(2);
    }
  }

  @Test
  void hostWorksAfterARestart() throws Exception {
    try (Host host = start(2)) {
      host.call(() -> {});
      host.restart();
      WindowSums sums = WindowSums.onceIdle(host.loop());
      try (HostLoad load = new HostLoad(host, CLIENTS)) {
        load.awaitInside(2);
        host.pool().resize(5);
        load.awaitInside(5);
        Conditions.await("windows close", () -> sums.present() == CLIENTS);
      }
    }
  }

  @Test
  void loopEndsWithTheHost() throws Exception {
    Host host = start(2);
    WindowSums sums = WindowSums.of(host.loop());
    host.call(() -> {});

    host.close();

    Conditions.await("the loop has ended", sums::closed);
  }
}
