package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.ResponseCurveController;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/**
 * A closed system of 64 tasks that go in turn to a source and to the pool. The source slows down as
 * the pool grows, since both share the processors: too many workers have nothing to do, and less is
 * done.
 */
final class SlowingSourceTest {

  private static final int TASKS = 64;
  private static final int WINDOWS = 240;
  private static final long WINDOW = 500_000_000L;
  private static final double NOISE = 0.06;

  /**
   * A system.
   *
   * @param sent tasks a second of the source without a pool
   * @param slowing loss of that by each worker, as a part of the rest
   * @param single tasks a second of a single worker
   * @param knee number of workers that together do half of what they would do alone
   * @param hindrance loss of a worker by each other
   */
  private record Plant(double sent, double slowing, double single, double knee, double hindrance) {

    /** Returns the mean rate, busy workers and waiting tasks: a birth-death process, solved. */
    double[] steady(int size, double luck) {
      double source = luck * sent / (1 + slowing * size);
      IntToDoubleFunction pool = n -> luck * single * n / (1 + n / knee) / (1 + hindrance * size);
      double weight = 1;
      double total = 1;
      double[] sums = new double[3];
      for (int there = 1; there <= TASKS; there++) {
        int busy = Math.min(there, size);
        weight *= source / pool.applyAsDouble(busy);
        total += weight;
        sums[0] += weight * pool.applyAsDouble(busy);
        sums[1] += weight * busy;
        sums[2] += weight * (there - busy);
      }
      return new double[] {sums[0] / total, sums[1] / total, sums[2] / total};
    }

    double best() {
      double best = 0;
      for (int size = 1; size <= TASKS; size++) {
        best = Math.max(best, steady(size, 1)[0]);
      }
      return best;
    }
  }

  /**
   * Outcome of two minutes.
   *
   * @param score work as a fraction of that of the best size
   * @param changes windows in which the size changed
   */
  private record Outcome(double score, int changes) {}

  private static Outcome run(Plant plant, long seed) {
    Controller controller = new ResponseCurveController(Objective.throughput(), 0.03, 2);
    SplittableRandom random = new SplittableRandom(seed);
    int size = 4;
    int changes = 0;
    double done = 0;
    for (int i = 0; i < WINDOWS; i++) {
      double luck = 1 + NOISE * Math.sqrt(12) * (random.nextDouble() - 0.5);
      double[] now = plant.steady(size, luck);
      done += plant.steady(size, 1)[0];
      int next = controller.decide(window(i * WINDOW, size, now)).size();
      next = Math.max(4, Math.min(TASKS, next));
      changes += next == size ? 0 : 1;
      size = next;
    }
    return new Outcome(done / WINDOWS / plant.best(), changes);
  }

  private static Window window(long start, int size, double[] state) {
    long ended = (long) (state[0] * WINDOW / 1e9);
    return Window.builder(start, start + WINDOW, size)
        .busy(state[1])
        .queue(state[2], (int) Math.ceil(1.5 * state[2]))
        .arrivals(ended)
        .completions(ended)
        .withinBound(ended)
        .build();
  }

  /** Without the bar 0.69. */
  @Test
  void poolSettlesWhereItsSourceKeepsUp() {
    for (int seed = 0; seed < 3; seed++) {
      Outcome outcome = run(new Plant(1500, 0.03, 250, 16, 0), seed);
      assertThat(outcome.score()).as("seed %d", seed).isGreaterThan(0.92);
      assertThat(outcome.changes()).as("seed %d", seed).isLessThan(60);
    }
  }

  /** Workers that wait for a processor look busy. Without the bar 0.67. */
  @Test
  void poolSettlesWhereItsWorkersHinderEachOtherAsWell() {
    for (int seed = 0; seed < 3; seed++) {
      Outcome outcome = run(new Plant(1500, 0.03, 250, 16, 0.03), seed);
      assertThat(outcome.score()).as("seed %d", seed).isGreaterThan(0.9);
      assertThat(outcome.changes()).as("seed %d", seed).isLessThan(60);
    }
  }

  /** The bar costs nothing where there is no such loss. */
  @Test
  void sourceThatKeepsItsPaceIsServedInFull() {
    for (int seed = 0; seed < 3; seed++) {
      assertThat(run(new Plant(1500, 0, 250, 16, 0), seed).score()).isGreaterThan(0.97);
    }
  }
}
