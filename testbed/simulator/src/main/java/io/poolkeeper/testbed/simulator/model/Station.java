package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.testbed.clients.Require;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;

/** Place that does work: it completes the tasks that are at it, faster or slower. */
public sealed interface Station {

  /** Returns the noises that disturb it. */
  List<Noise> noise();

  /** Cores that all tasks share equally. */
  static Cpu cpu(int cores) {
    return new Cpu(cores, true, 0, List.of(), Optional.empty());
  }

  /** A station whose rate is a function of the number of tasks at it. */
  static Curve curve(IntToDoubleFunction rate) {
    return new Curve(List.of(new Change(0, rate)), Curve.NOT_MEASURED, List.of());
  }

  /**
   * Cores. Work is in seconds of one core.
   *
   * <p>Assumed: all cores are alike. Shared, {@code k} tasks each get {@code min(1, cores / k)} of
   * a core at any time (egalitarian processor sharing, the limit of short time slices). Not shared,
   * each core serves one task to its end and the others wait, first come first served.
   *
   * <p>With an overhead the work takes {@code 1 + overhead * max(0, t - cores)} times as long while
   * {@code t} workers of the tier are busy, blocked ones included; in a tier without a pool {@code
   * t} counts the tasks at the cores. The cores are as busy as without.
   *
   * @param cores 1 or more
   * @param shared whether tasks share the cores, or have one each in turn
   * @param overhead 0 or more
   * @param noise what disturbs it
   * @param quota limit of the CPU time in a period; one of all cores or more stops no task
   */
  record Cpu(
      int cores, boolean shared, double overhead, List<Noise> noise, Optional<CpuQuota> quota)
      implements Station {
    public Cpu {
      Require.atLeast("cores", 1, cores);
      Require.notNegative("overhead", overhead);
      noise = List.copyOf(noise);
    }

    /** The same, first come first served. */
    public Cpu firstComeFirstServed() {
      return new Cpu(cores, false, overhead, noise, quota);
    }

    /** The same with an overhead for each thread beyond the cores. */
    public Cpu overhead(double perThread) {
      return new Cpu(cores, shared, perThread, noise, quota);
    }

    /** The same with one more noise. */
    public Cpu with(Noise more) {
      return new Cpu(cores, shared, overhead, plus(noise, more), quota);
    }

    /** The same under a quota. */
    public Cpu quota(CpuQuota limit) {
      return new Cpu(cores, shared, overhead, noise, Optional.of(limit));
    }

    /** Returns whether a quota may stop its tasks. */
    public boolean limited() {
      return quota.isPresent() && quota.get().cores() < cores;
    }

    /** Returns the CPU seconds a second that it gives in the long run. */
    public double capacity() {
      return limited() ? quota.orElseThrow().cores() : cores;
    }
  }

  /**
   * Serves all tasks at it at once with a total rate that depends on how many they are; the rate is
   * shared equally. A disk, a database, a whole machine, seen from outside. Work is in tasks: a
   * task of work 1 is an average one, and rates count those a second.
   *
   * @param rates the rate from each moment on; the first from 0 on
   * @param cpuPerTask CPU seconds that a task of work 1 uses, or {@link #NOT_MEASURED}
   * @param noise what disturbs it
   */
  record Curve(List<Change> rates, double cpuPerTask, List<Noise> noise) implements Station {

    /** Stands for CPU time that is not known. */
    public static final double NOT_MEASURED = -1;

    public Curve {
      rates = List.copyOf(rates);
      noise = List.copyOf(noise);
      if (rates.isEmpty() || rates.get(0).at() != 0) {
        throw new IllegalArgumentException("rates must begin at 0, but are " + rates);
      }
      if (cpuPerTask == NOT_MEASURED
          && rates.stream().anyMatch(change -> change.cpuPerTask() != Change.AS_BEFORE)) {
        throw new IllegalArgumentException(
            "cpuPerTask must be given from the start, or for no change of the rate");
      }
      for (int i = 1; i < rates.size(); i++) {
        if (!(rates.get(i).at() > rates.get(i - 1).at())) {
          throw new IllegalArgumentException(
              "rates must be in the order of time, but %s follows %s"
                  .formatted(rates.get(i).at(), rates.get(i - 1).at()));
        }
      }
      if (cpuPerTask != NOT_MEASURED) {
        Require.notNegative("cpuPerTask", cpuPerTask);
      }
    }

    /** The same, with another rate from a later moment on, in seconds since the start. */
    public Curve then(double at, IntToDoubleFunction rate) {
      return new Curve(plus(rates, new Change(at, rate)), cpuPerTask, noise);
    }

    /** As the other, with another CPU time from then on as well. */
    public Curve then(double at, IntToDoubleFunction rate, double cpuPerTask) {
      return new Curve(plus(rates, new Change(at, rate, cpuPerTask)), this.cpuPerTask, noise);
    }

    /** The same with the CPU seconds of a task of work 1. */
    public Curve cpuPerTask(double seconds) {
      return new Curve(rates, seconds, noise);
    }

    /** The same with one more noise. */
    public Curve with(Noise more) {
      return new Curve(rates, cpuPerTask, plus(noise, more));
    }
  }

  /**
   * A rate from a moment on. The work that is left of a task is done at the new rate.
   *
   * @param at seconds since the start of the run, 0 or more
   * @param rate average tasks completed a second in total while {@code k >= 1} are served; must be
   *     finite and not negative for each {@code k} that occurs
   * @param cpuPerTask CPU seconds that a task of work 1 uses from then on, or {@link #AS_BEFORE}
   */
  record Change(double at, IntToDoubleFunction rate, double cpuPerTask) {

    /** Stands for a CPU time that does not change. */
    public static final double AS_BEFORE = -1;

    public Change {
      Require.notNegative("moment of a change of rate", at);
      if (cpuPerTask != AS_BEFORE) {
        Require.notNegative("cpuPerTask", cpuPerTask);
      }
    }

    /** A change of the rate alone. */
    public Change(double at, IntToDoubleFunction rate) {
      this(at, rate, AS_BEFORE);
    }
  }

  private static <T> List<T> plus(List<T> list, T more) {
    List<T> longer = new ArrayList<>(list);
    longer.add(more);
    return longer;
  }
}
