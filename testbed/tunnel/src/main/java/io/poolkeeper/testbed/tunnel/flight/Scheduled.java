package io.poolkeeper.testbed.tunnel.flight;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.tunnel.course.Course;

/**
 * Knows what nobody can know: the best size of each stage, and when it begins. What others reach is
 * a fraction of what this one does.
 */
public final class Scheduled implements Controller {

  private final Course course;
  private long origin = Long.MIN_VALUE;

  /** Keeps the best size of each stage of a course. */
  public Scheduled(Course course) {
    this.course = course;
  }

  @Override
  public Decision decide(Window window) {
    if (origin == Long.MIN_VALUE) {
      origin = window.start();
    }
    int stage = course.stageAt((window.end() - origin) / 1e9);
    return Decision.resize(course.optimum(stage).best(), "best size of stage " + (stage + 1));
  }
}
