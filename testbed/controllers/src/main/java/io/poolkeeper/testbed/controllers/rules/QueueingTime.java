package io.poolkeeper.testbed.controllers.rules;

/**
 * The mean queueing time of the tasks of an interval: their mean time less the shortest one ever
 * seen, which is what the plant behind a limit adds.
 */
final class QueueingTime {

  private long shortest;
  private int tasks;
  private double sum;

  /** Adds the time of a task, and returns how many there are in the interval. */
  int add(long time) {
    shortest = shortest == 0 ? time : Math.min(shortest, time);
    tasks++;
    sum += time;
    return tasks;
  }

  /** Ends the interval, and returns its mean queueing time in nanoseconds. */
  double end() {
    double mean = sum / tasks - shortest;
    tasks = 0;
    sum = 0;
    return mean;
  }
}
