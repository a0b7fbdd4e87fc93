package io.poolkeeper.testbed.tunnel.flight;

import io.poolkeeper.testbed.tunnel.course.Course;

/** Makes one run. */
@FunctionalInterface
public interface Flight {

  /**
   * Runs a pool over a course.
   *
   * @param seed of all random numbers; runs with the same seed have the same disturbances
   * @param pilot decides on the size
   */
  Trace fly(Course course, Noise noise, long seed, Pilot pilot);
}
