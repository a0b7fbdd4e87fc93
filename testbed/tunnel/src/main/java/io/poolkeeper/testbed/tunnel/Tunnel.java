package io.poolkeeper.testbed.tunnel;

import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.flight.Flight;
import io.poolkeeper.testbed.tunnel.flight.References;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plan.Cell;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import io.poolkeeper.testbed.tunnel.plan.Plan;
import io.poolkeeper.testbed.tunnel.results.Results;
import io.poolkeeper.testbed.tunnel.score.Score;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the runs of a plan that are not done yet, on several threads. All contestants of a cell
 * meet the same random numbers. The first seed of every cell comes before the second of any, so
 * that a tunnel that is stopped early has seen everything once.
 */
final class Tunnel {

  private final Plan plan;
  private final Flight flight;
  private final Results results;
  private final int largest;
  private final AtomicInteger made = new AtomicInteger();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /**
   * @param largest size that a pool may have
   */
  Tunnel(Plan plan, Flight flight, Results results, int largest) {
    this.largest = largest;
    this.plan = plan;
    this.flight = flight;
    this.results = results;
  }

  /** Returns how many runs are missing. */
  int missing() {
    int missing = 0;
    for (Cell cell : plan.cells()) {
      for (int seed = 1; seed <= plan.preciseSeeds(); seed++) {
        missing += missing(cell, seed).size();
      }
    }
    return missing;
  }

  /** Returns how many runs were made so far. */
  int made() {
    return made.get();
  }

  /** Lets the runs that are under way end, and makes no more. */
  void stop() {
    stopped = true;
  }

  boolean stopped() {
    return stopped;
  }

  /** Returns what could not be run, a line each. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  /**
   * Makes the missing runs.
   *
   * @param jobs how many at the same time
   * @throws IOException if one could not be recorded; no more are made then
   */
  void run(int jobs) throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(jobs);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int seed = 1; seed <= plan.preciseSeeds(); seed++) {
        for (Cell cell : plan.cells()) {
          int now = seed;
          all.add(threads.submit(() -> fly(cell, now)));
        }
      }
      for (Future<?> result : all) {
        result.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UncheckedIOException io) {
        throw io.getCause();
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      stop();
      threads.shutdown();
    }
  }

  private List<Contestant> missing(Cell cell, int seed) {
    return plan.contestants().stream()
        .filter(
            contestant ->
                seed <= plan.seeds(cell, contestant) && !results.has(cell, seed, contestant))
        .toList();
  }

  private void fly(Cell cell, int seed) {
    List<Contestant> missing = missing(cell, seed);
    if (missing.isEmpty() || stopped) {
      return;
    }
    Course course = new Course(cell.load().on(cell.plant()), largest);
    long random = random(cell, seed);
    Trace optimum = References.optimum(flight, course, cell.noise(), random);
    Trace fixed =
        course.stages().size() == 1
            ? optimum
            : flight.fly(course, cell.noise(), random, Contestants.fixedPilot(course.bestFixed()));
    try {
      if (seed == 1) {
        results.addCurve(cell, Results.OPTIMUM, optimum);
      }
      for (Contestant contestant : missing) {
        if (stopped) {
          return;
        }
        Trace trace = fly(course, cell, seed, contestant);
        if (trace != null) {
          if (seed == 1) {
            results.addCurve(cell, contestant.name(), trace);
          }
          results.add(cell, seed, contestant, Score.of(course, trace, optimum, fixed));
        }
        made.incrementAndGet();
      }
    } catch (IOException e) {
      stop();
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable Trace fly(Course course, Cell cell, int seed, Contestant contestant) {
    try {
      return flight.fly(course, cell.noise(), random(cell, seed), contestant.maker().apply(course));
    } catch (RuntimeException e) {
      // A controller that is being written may throw anything; the others must not suffer.
      failures.add(
          "controller %s failed in cell %s, seed %d: %s"
              .formatted(contestant.name(), cell, seed, e));
      return null;
    }
  }

  /** Other random numbers for each cell, the same in every tunnel. */
  private static long random(Cell cell, int seed) {
    return ((long) cell.toString().hashCode() << 32) + seed;
  }
}
