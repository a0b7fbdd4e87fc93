package io.poolkeeper.testbed.tunnel.plan;

import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import java.util.function.Function;

/**
 * Controller, policy or fixed size that is judged.
 *
 * @param name its name in configurations
 * @param kind the family that it belongs to
 * @param about what people should know of it
 * @param maker makes a new one for a run
 */
public record Contestant(String name, Kind kind, About about, Function<Course, Pilot> maker) {

  /** Families of contestants. */
  public enum Kind {
    /** Decides once a window, by what was measured in it. */
    CONTROLLER,
    /** Decides at the events of tasks. */
    POLICY,
    /** Never changes its size. */
    FIXED
  }

  /**
   * Facts that people should know.
   *
   * @param source who published it
   * @param signal what it looks at
   * @param trigger what makes it change the size
   * @param weakness when it fails
   * @param windowSeconds length of its windows or time between two looks at the clock; 0 for none
   */
  public record About(
      String source, String signal, String trigger, String weakness, double windowSeconds) {}
}
