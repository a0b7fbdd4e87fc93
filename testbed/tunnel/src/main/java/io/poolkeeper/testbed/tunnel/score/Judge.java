package io.poolkeeper.testbed.tunnel.score;

import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Optimum;
import io.poolkeeper.testbed.tunnel.flight.Steps;

/** Judges the sizes that a pool had against those it should have had. */
final class Judge {

  /** Resolution of the time at which the optimum was reached. */
  private static final double TICK_SECONDS = 0.5;

  private final Course course;
  private final Steps sizes;

  Judge(Course course, Steps sizes) {
    this.course = course;
    this.sizes = sizes;
  }

  /** Returns what the sizes held in the second halves of the stages are worth, as a fraction. */
  double steady() {
    double reached = 0;
    double most = 0;
    for (int stage = 0; stage < course.stages().size(); stage++) {
      reached += completions(middle(stage), course.end(stage));
      most += course.optimum(stage).most() * (course.end(stage) - middle(stage));
    }
    // Sizes may be better than the smallest of those that count as best.
    return Math.min(1, reached / most);
  }

  /** The least that the sizes held in any short time after the start are worth, as a fraction. */
  double worst() {
    double worst = 1;
    for (int from = Score.START_SECONDS; from + Score.WORST_SECONDS <= course.seconds(); from++) {
      double worth = worth(from, from + Score.WORST_SECONDS);
      worst = Double.isNaN(worth) ? worst : Math.min(worst, worth);
    }
    return worst;
  }

  /** Thread-seconds as a multiple of those of the smallest sizes that are good enough. */
  double threads(boolean steady) {
    double used = 0;
    double enough = 0;
    for (int stage = 0; stage < course.stages().size(); stage++) {
      double from = steady ? middle(stage) : course.start(stage);
      used += sizes.integral(from, course.end(stage), size -> size);
      enough += course.optimum(stage).enough() * (course.end(stage) - from);
    }
    return used / enough;
  }

  /** Seconds from the start of a stage until what follows is good; infinite for never. */
  double reached(int stage) {
    double start = course.start(stage);
    for (double at = start; at + Score.REACHED_SECONDS <= course.end(stage); at += TICK_SECONDS) {
      if (worth(at, at + Score.REACHED_SECONDS) >= Score.REACHED) {
        return at - start;
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  /** The longest of those times after a change; NaN where there is none. */
  double slowestChange() {
    double slowest = Double.NaN;
    for (int stage = 1; stage < course.stages().size(); stage++) {
      if (course.optimum(stage).most() > 0) {
        double reached = reached(stage);
        slowest = Double.isNaN(slowest) ? reached : Math.max(slowest, reached);
      }
    }
    return slowest;
  }

  /** The largest limit cycle in the second half of a stage. */
  int cycle() {
    int largest = 0;
    for (int stage = 0; stage < course.stages().size(); stage++) {
      largest = Math.max(largest, Swings.largest(sizes, middle(stage), course.end(stage)));
    }
    return largest;
  }

  private double middle(int stage) {
    return (course.start(stage) + course.end(stage)) / 2.0;
  }

  /**
   * Returns what the sizes held are worth, as a fraction of the best; NaN where nothing was asked
   * for.
   */
  private double worth(double from, double to) {
    double reached = 0;
    double most = 0;
    for (double at = from; at < to; ) {
      int stage = course.stageAt(at);
      double end = Math.min(to, course.end(stage));
      reached += completions(at, end);
      most += course.optimum(stage).most() * (end - at);
      at = end;
    }
    return most == 0 ? Double.NaN : reached / most;
  }

  /** Completions in the long run at the sizes held; the times lie within one stage. */
  private double completions(double from, double to) {
    Optimum optimum = course.optimum(course.stageAt(from));
    return sizes.integral(from, to, optimum::throughput);
  }
}
