package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import java.util.HashMap;
import java.util.Map;

/**
 * A {@link SizeSearch} in a simulated pool, with help that no controller has: a change of the work
 * is known at once, work that comes back is recognised, and readings may be exact. Only the pool is
 * as any other: it shrinks no faster than its tasks end.
 */
final class SearchController implements Controller {

  /** The rate that a size is taken to have, once it was in force for long enough. */
  enum Reading {
    /** The true rate, without the noise. */
    EXACT,
    /** The mean of the windows without tasks from larger sizes. */
    MEASURED
  }

  /** Workers too many, in the mean of a window, that make no difference. */
  private static final double LEFT_OVER = 0.01;

  private final Course course;
  private final double factor;
  private final int completions;
  private final Reading reading;
  private final Map<Plant, SizeSearch> searches = new HashMap<>();
  private int stage = -1;
  private long counted;
  private double seconds;

  /**
   * A search at the start of a course.
   *
   * @param factor between neighbours of the first grid, above 1
   * @param completions that a size is given to show itself, 0 or more
   */
  SearchController(Course course, double factor, int completions, Reading reading) {
    this.course = course;
    this.factor = factor;
    this.completions = completions;
    this.reading = reading;
  }

  @Override
  public Decision decide(Window window) {
    int now = course.stageAt(window.end() / 1e9);
    SizeSearch search =
        searches.computeIfAbsent(course.stages().get(now).plant(), plant -> new SizeSearch(factor));
    if (now != stage) {
      stage = now;
      forget();
    } else if (window.size() == search.size() && counts(window)) {
      counted += window.completions();
      seconds += window.seconds();
      if (counted >= completions || seconds >= ExactSearch.LONGEST_SECONDS) {
        search.read(reading == Reading.EXACT ? worth(search.size()) : counted / seconds);
        forget();
      }
    }
    return Decision.resize(search.size(), "search");
  }

  /**
   * Returns whether a window tells of its size: tasks that are left over from a larger size do not.
   */
  private boolean counts(Window window) {
    return reading == Reading.EXACT || window.busy() <= window.size() + LEFT_OVER;
  }

  /** The rate that a size can do in the stage, of which a part may be a reserve. */
  private double worth(int size) {
    Stage now = course.stages().get(stage);
    return now.demand() instanceof Demand.Open
        ? now.plant().curve().at(size)
        : course.optimum(stage).throughput(size);
  }

  private void forget() {
    counted = 0;
    seconds = 0;
  }

  @Override
  public String name() {
    return "search";
  }
}
