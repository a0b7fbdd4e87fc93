package io.tidepool.testbed.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tidepool.spi.Blueprint;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every policy of the catalogue passes, on a pool whose events are drawn at random. */
final class PoliciesAtEventsTest {

  private static final int EVENTS = 20_000;

  static Stream<Blueprint<EventPolicy>> policies() {
    return Policies.all().stream();
  }

  private static EventPolicy make(Blueprint<EventPolicy> blueprint) {
    boolean bare = blueprint.settings().stream().allMatch(setting -> setting.standard() != null);
    return blueprint.make(bare ? Map.of() : Map.of("size", "7"));
  }

  @ParameterizedTest
  @MethodSource("policies")
  void theSameEventsGiveTheSameSizes(Blueprint<EventPolicy> blueprint) {
    assertThat(new Run(make(blueprint), true).sizes(EVENTS))
        .isEqualTo(new Run(make(blueprint), true).sizes(EVENTS));
  }

  @ParameterizedTest
  @MethodSource("policies")
  void everyChangeHasAReason(Blueprint<EventPolicy> blueprint) {
    EventPolicy policy = make(blueprint);
    List<Integer> sizes = new Run(policy, true).sizes(EVENTS);
    assertThat(policy.reason().isEmpty()).isEqualTo(sizes.stream().distinct().count() == 1);
  }

  /** The pool follows none of the answers, so the policy may ask at every event. */
  @ParameterizedTest
  @MethodSource("policies")
  void anEventAllocatesNothing(Blueprint<EventPolicy> blueprint) {
    Run run = new Run(make(blueprint), false);
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    run.go(EVENTS);
    long first = thread.getCurrentThreadAllocatedBytes(); // The first reading loads classes.
    assertThat(first).isPositive();
    long before = thread.getCurrentThreadAllocatedBytes();
    run.go(EVENTS);
    long allocated = thread.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated / (double) EVENTS).as("bytes an event").isLessThan(1);
  }

  /** A pool of 1 to 64 workers, and tasks that come, run and end at random. Allocates nothing. */
  private static final class Run implements PoolState {
    private final SplittableRandom random = new SplittableRandom(9);
    private final EventPolicy policy;
    private final boolean follows;
    private long now;
    private long next;
    private int size;
    private int present;
    private long begun;
    private int load = 5;

    Run(EventPolicy policy, boolean follows) {
      this.policy = policy;
      this.follows = follows;
      size = follows ? Math.min(64, policy.initialSize()) : 16;
      next = policy.interval();
    }

    List<Integer> sizes(int events) {
      List<Integer> sizes = new ArrayList<>();
      for (int i = 0; i < events; i++) {
        go(1);
        sizes.add(size);
      }
      return sizes;
    }

    void go(int events) {
      for (int i = 0; i < events; i++) {
        step();
      }
    }

    private void step() {
      now += random.nextInt(5_000_000);
      while (policy.interval() > 0 && now >= next) {
        next += policy.interval();
        follow(policy.elapsed(this));
      }
      if (random.nextInt(200) == 0) {
        load = random.nextInt(60);
      }
      if (present <= random.nextInt(load + 1)) {
        present++;
        begun += present <= size ? 1 : 0;
        follow(policy.arrived(this));
      } else {
        present--;
        begun += present >= size ? 1 : 0;
        int wait = random.nextInt(2) * random.nextInt(50_000_000);
        Outcome outcome = random.nextInt(50) == 0 ? Outcome.FAILED : Outcome.COMPLETED;
        follow(policy.ended(this, wait, 1 + random.nextInt(80_000_000), outcome));
      }
    }

    private void follow(int answer) {
      if (follows) {
        size = Math.max(1, Math.min(64, answer));
      }
    }

    @Override
    public long now() {
      return now;
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public int busy() {
      return Math.min(size, present);
    }

    @Override
    public int queued() {
      return present - busy();
    }

    @Override
    public long begun() {
      return begun;
    }

    @Override
    public double cpu() {
      return 0.5;
    }
  }
}
