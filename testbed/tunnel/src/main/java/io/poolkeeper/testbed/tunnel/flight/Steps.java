package io.poolkeeper.testbed.tunnel.flight;

import java.util.Arrays;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** The sizes that a pool had: a step function of time, in seconds since the start of a run. */
public final class Steps {

  private final double[] times;
  private final int[] sizes;

  private Steps(double[] times, int[] sizes) {
    this.times = times;
    this.sizes = sizes;
  }

  /** Sizes in the order in which they come into force. */
  public static final class Builder {
    private double[] times = new double[64];
    private int[] sizes = new int[64];
    private int count;

    /** Notes that {@code size} is in force from {@code time} on. */
    public void add(double time, int size) {
      if (count > 0 && times[count - 1] == time) {
        count--; // it lasted no time
      }
      if (count > 0 && sizes[count - 1] == size) {
        return;
      }
      if (count == times.length) {
        times = Arrays.copyOf(times, 2 * count);
        sizes = Arrays.copyOf(sizes, 2 * count);
      }
      times[count] = time;
      sizes[count] = size;
      count++;
    }

    /** The steps so far. */
    public Steps build() {
      return new Steps(Arrays.copyOf(times, count), Arrays.copyOf(sizes, count));
    }
  }

  /** Returns how often the size changed. */
  public int changes() {
    return times.length - 1;
  }

  /** The size in force at a time. */
  public int sizeAt(double time) {
    return sizes[at(time)];
  }

  /** The sizes in force between two times, in their order. */
  public IntStream sizes(double from, double to) {
    return IntStream.range(at(from), sizes.length)
        .takeWhile(step -> times[step] < to)
        .map(step -> sizes[step]);
  }

  private int at(double time) {
    int found = Arrays.binarySearch(times, time);
    return found >= 0 ? found : -found - 2;
  }

  /** Integral over time of what the sizes are worth. */
  public double integral(double from, double to, IntToDoubleFunction worth) {
    double sum = 0;
    for (int i = at(from); i < times.length && times[i] < to; i++) {
      double end = i + 1 < times.length ? Math.min(to, times[i + 1]) : to;
      double begin = Math.max(from, times[i]);
      sum += worth.applyAsDouble(sizes[i]) * (end - begin);
    }
    return sum;
  }
}
