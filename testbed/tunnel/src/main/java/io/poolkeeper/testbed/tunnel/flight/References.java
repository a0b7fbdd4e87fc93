package io.poolkeeper.testbed.tunnel.flight;

import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.TaskClass;
import java.time.Duration;
import java.util.List;

/**
 * The run to which others are compared: the same disturbances, and the best size of each stage.
 *
 * <p>Users who never rest keep a pool of a fixed size busy all the time, so its work is a constant
 * times the disturbance. Where that holds, one worker on a slow plant is flown and its work is
 * multiplied: the same numbers with a hundredth of the events.
 */
public final class References {

  private static final Duration WINDOW = Duration.ofSeconds(1);

  private static final Plant SLOW =
      new Plant(
          "slow", "one task a second", "1", new Curve(k -> 1), 1, List.of(new TaskClass(1, 1)), "");

  private References() {}

  /**
   * A run whose size is always the best of its stage. Only its work and its sizes count: its tasks
   * may be those of another plant.
   */
  public static Trace optimum(Flight flight, Course course, Noise noise, long seed) {
    if (course.stages().size() > 1 || !alwaysBusy(course.stages().get(0))) {
      return flight.fly(
          course,
          noise,
          seed,
          new Pilot.ByWindows(new Scheduled(course), WINDOW, course.optimum(0).best()));
    }
    Course slow = new Course(List.of(new Stage(course.seconds(), SLOW, new Demand.Closed(1, 0))));
    Trace trace =
        flight.fly(slow, noise, seed, new Pilot.ByWindows(new Scheduled(slow), WINDOW, 1));
    double[] work = new double[trace.seconds()];
    for (int second = 0; second < work.length; second++) {
      work[second] = trace.work(second, second + 1) * course.optimum(0).most();
    }
    Steps.Builder sizes = new Steps.Builder();
    sizes.add(0, course.optimum(0).best());
    return new Trace(work, sizes.build(), trace.completions(), trace.meanResponseSeconds());
  }

  private static boolean alwaysBusy(Stage stage) {
    return stage.demand() instanceof Demand.Closed closed
        && closed.users() > 0
        && closed.thinkSeconds() == 0;
  }
}
