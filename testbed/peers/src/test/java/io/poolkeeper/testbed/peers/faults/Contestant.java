package io.poolkeeper.testbed.peers.faults;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testkit.Sizes;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntConsumer;

/** Rule or controller that decides the size of a {@link Plant}. */
interface Contestant {

  /** The size in force. */
  int size();

  /** Lives through one second of the plant; tells every size on the way. */
  void second(Plant plant, IntConsumer sizes);

  /** The sizes of so many seconds of the plant, the first one among them. */
  default Sizes during(int seconds, Plant plant) {
    Sizes sizes = new Sizes();
    sizes.see(size());
    for (int second = 0; second < seconds; second++) {
      plant.nextSecond();
      second(plant, sizes::see);
    }
    return sizes;
  }

  /** Tells what became of the size. All begin with 20, and may go up to 200 or more. */
  static String growth(Sizes sizes) {
    if (sizes.largest() >= 200) {
      return "rises to its maximum";
    }
    return sizes.largest() > 40 ? "rises" : "stays";
  }

  /** A rule that decides at every task. */
  static Contestant sampled(SampleRule rule) {
    return new Sampled(rule);
  }

  /** A controller by name, with its recommended window, from size 20 within 1 and 200. */
  static Contestant controlled(String name) {
    return controlled(name, Map.of());
  }

  /** As the other one, with settings. */
  static Contestant controlled(String name, Map<String, String> settings) {
    return new Controlled(Controllers.named(name, settings), Controllers.descriptor(name).window());
  }

  /** Feeds a rule with the tasks that end. */
  final class Sampled implements Contestant {
    private final SampleRule rule;
    private double clock;

    Sampled(SampleRule rule) {
      this.rule = rule;
    }

    @Override
    public int size() {
      return rule.limit();
    }

    @Override
    public void second(Plant plant, IntConsumer sizes) {
      double end = Math.floor(clock) + 1;
      while (clock < end) {
        int busy = plant.busy(rule.limit());
        if (busy == 0) {
          clock = end;
          return;
        }
        double perSecond = plant.perSecond(busy);
        double time = busy / perSecond;
        clock += 1 / perSecond;
        rule.sample((long) ((clock - time) * 1e9), (long) (time * 1e9), busy, plant.dropsAll());
        sizes.accept(rule.limit());
      }
    }
  }

  /** Asks a controller about windows. */
  final class Controlled implements Contestant {
    private final Controller controller;
    private final Duration window;
    private final Bounds bounds = new Bounds(1, 200);
    private int size = 20;
    private long clock;
    private double unfinished;

    Controlled(Controller controller, Duration window) {
      this.controller = controller;
      this.window = window;
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public void second(Plant plant, IntConsumer sizes) {
      long end = (clock / 1_000_000_000 + 1) * 1_000_000_000;
      while (clock < end) {
        Window measured = window(plant);
        Decision decision = controller.decide(measured);
        if (decision.bounded() || bounds.contain(decision.size())) {
          size = bounds.clamp(decision.size());
        }
        sizes.accept(size);
      }
    }

    private Window window(Plant plant) {
      int busy = plant.busy(size);
      double perSecond = busy == 0 ? 0 : plant.perSecond(busy);
      double work = unfinished + perSecond * window.toNanos() / 1e9;
      long ended = (long) work;
      unfinished = work - ended;
      long failed = plant.dropsAll() ? ended : 0;
      int waiting = plant.users() - busy;
      TimeStats service = times(ended, busy / perSecond);
      TimeStats response = times(ended, plant.users() / perSecond);
      TimeStats wait = times(ended, waiting / perSecond);
      long start = clock;
      clock += window.toNanos();
      return Window.builder(start, clock, size)
          .busy(busy)
          .queue(waiting, waiting)
          .arrivals(ended)
          .completions(ended - failed)
          .failures(failed)
          .times(wait, service, response)
          .build();
    }

    private static TimeStats times(long count, double seconds) {
      long nanos = Math.round(seconds * 1e9);
      return count == 0
          ? TimeStats.EMPTY
          : new TimeStats(count, nanos, nanos, nanos, nanos, nanos, nanos, nanos);
    }
  }
}
