package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.tunnel.course.Course;
import java.time.Duration;

/** Best size of each stage of a course, some time after the stage began. It learns nothing. */
final class BestSizes implements Controller {

  static final Duration WINDOW = Duration.ofMillis(500);

  private final Course course;
  private final double late;
  private double now;
  private int stage;

  /**
   * @param late seconds from the begin of a stage until its best size is in force, 0 or more
   */
  BestSizes(Course course, double late) {
    this.course = course;
    this.late = late;
  }

  @Override
  public Decision decide(Window window) {
    // Half a window more, as the clock of the simulation need not hit the begin of a stage.
    now += window.seconds();
    double seconds = now - late + WINDOW.toNanos() / 2e9;
    while (stage + 1 < course.stages().size() && course.start(stage + 1) <= seconds) {
      stage++;
    }
    int best = course.stages().get(stage).plant().curve().best();
    return Decision.towards(
        Math.min(WorkCourse.USERS, best), "the best size of this stage of the course");
  }

  @Override
  public Duration window() {
    return WINDOW;
  }
}
