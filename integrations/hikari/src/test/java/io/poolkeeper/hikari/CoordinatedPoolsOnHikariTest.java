package io.poolkeeper.hikari;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.CoordinatedPools;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.FakeDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Real threads and real connections that are sized together. */
final class CoordinatedPoolsOnHikariTest {

  private static final Duration WINDOW = Duration.ofMillis(50);
  private static final Duration WORK = Duration.ofMillis(1);

  /** A service whose requests use connections; each request that ends sends the next. */
  private static final class Service implements AutoCloseable {
    final Queue<ControlListener.Step> steps = new ConcurrentLinkedQueue<>();
    final AtomicLong answered = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    final AtomicBoolean ending = new AtomicBoolean();
    final HikariDataSource dataSource = new HikariDataSource();
    final AdaptiveExecutor threads;
    final boolean atOnce;

    /**
     * @param atOnce whether a request holds its two connections at once, or one after the other
     */
    Service(boolean atOnce) {
      this.atOnce = atOnce;
      ControlListener log =
          new ControlListener() {
            @Override
            public void onStep(Resizable pool, Step step) {
              steps.add(step);
            }
          };
      CoordinatedPools pair =
          CoordinatedPools.builder().connectionsPerRequest(atOnce ? 2 : 1).build();
      dataSource.setDataSource(new FakeDatabase().dataSource());
      dataSource.setMaximumPoolSize(12);
      dataSource.setConnectionTimeout(300_000);
      HikariConnections.install(
          dataSource,
          new Bounds(1, 20),
          Objective.throughput(),
          loop -> loop.controller(pair.connections()).window(WINDOW).listener(log).jmx(false));
      threads =
          AdaptiveExecutor.builder("service")
              .bounds(1, 64)
              .initialSize(8)
              .controller(pair.threads())
              .window(WINDOW)
              .listener(log)
              .jmx(false)
              .build();
    }

    void users(int count) {
      for (int i = 0; i < count; i++) {
        threads.execute(this::request);
      }
    }

    @SuppressWarnings("try")
    private void request() {
      try (Connection first = dataSource.getConnection()) {
        if (atOnce) {
          try (Connection second = dataSource.getConnection()) {
            LockSupport.parkNanos(WORK.toNanos());
          }
        }
        LockSupport.parkNanos(WORK.toNanos());
      } catch (Exception e) {
        failed.incrementAndGet();
      }
      if (!atOnce) {
        try (Connection second = dataSource.getConnection()) {
          LockSupport.parkNanos(WORK.toNanos());
        } catch (Exception e) {
          failed.incrementAndGet();
        }
      }
      answered.incrementAndGet();
      if (!ending.get()) {
        threads.execute(this::request);
      }
    }

    List<ControlListener.Step> stepsOf(String controller) {
      return steps.stream().filter(step -> step.controller().equals(controller)).toList();
    }

    @Override
    public void close() {
      ending.set(true);
      threads.close();
      dataSource.close();
    }
  }

  /** Uses of a connection a request that a decision of a follower goes by, 0 of a leader. */
  private static double visits(ControlListener.Step step) {
    Decision decision = step.decision();
    return decision == null ? 0 : decision.numbers().getOrDefault("visits", 0.0);
  }

  @Test
  void onePoolFollowsTheOtherByMeasuredVisits() {
    try (Service service = new Service(false)) {
      service.users(40);
      Conditions.await(
          "two uses a request",
          () -> service.steps.stream().anyMatch(step -> Math.abs(visits(step) - 2) < 0.1));
      assertThat(service.failed).hasValue(0);
      assertThat(service.steps)
          .filteredOn(step -> !step.explanation().contains("stood still")) // A busy machine.
          .extracting(ControlListener.Step::action)
          .doesNotContain(ControlListener.Action.FAILED, ControlListener.Action.REFUSED);
    }
  }

  /** Fewer than one connection more than threads could end in a deadlock. */
  @Test
  void requestsThatHoldTwoConnectionsGoOn() {
    try (Service service = new Service(true)) {
      service.users(40);
      Conditions.await(
          "decisions about both",
          () ->
              service.stepsOf("coordinated-threads").size() > 40
                  && service.stepsOf("coordinated-connections").size() > 40);
      assertThat(service.stepsOf("coordinated-threads"))
          .allSatisfy(step -> assertThat(step.after()).isLessThanOrEqualTo(19));
      assertThat(service.failed).hasValue(0);
      long before = service.answered.get();
      Conditions.await("more answers", () -> service.answered.get() > before + 200);
    }
  }
}
