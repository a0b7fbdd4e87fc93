package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import io.poolkeeper.testbed.controllers.Require;
import io.poolkeeper.testbed.controllers.windows.Soundness;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The gradient of the service time, as the adaptive concurrency filter of Envoy takes it (built
 * from its description).
 *
 * <p><b>Rule.</b> Once a window, with {@code g = clamp(1.25 * minimum / median, 0.5, 2)}, the limit
 * becomes {@code g L + sqrt(g L)}. The minimum is the median service time at a limit of 3; it is
 * measured again from time to time, and for that the limit goes down to 3.
 *
 * <p><b>Where the source is silent.</b> The minimum is measured at the start and every 60 s, over
 * the windows that together hold 50 tasks (the mean of their medians, weighted by tasks); after it
 * the limit goes back to where it was. Without jitter, which keeps many proxies apart. The largest
 * limit is 1000, the smallest 3. The time is the service time, since the filter refuses what is too
 * much and has no queue. A size that is not the one asked for, such as the nearest bound, is the
 * limit from which the rule goes on. A window without tasks changes nothing.
 *
 * <p><b>When it fails.</b> It never asks whether the limit is used: at one task a time the service
 * time is the minimum, {@code g} is 1.25, and the limit rises to its maximum. Every minute a busy
 * pool stands at 3. Whatever is slow by nature of its load, such as a shared disk, is measured as
 * fast at 3, and the limit falls below what the plant could do. During a long overload the minimum
 * is measured in it.
 */
public final class EnvoyController implements Resumable<EnvoyController.State> {

  private static final double BUFFER = 1.25;
  private static final double LEAST_GRADIENT = 0.5;
  private static final double LARGEST_GRADIENT = 2;
  private static final int MEASURED_AT = 3;
  private static final int TASKS = 50;
  private static final long EVERY = Duration.ofSeconds(60).toNanos();

  /**
   * All that the controller knows.
   *
   * @param limit L, not rounded; 0 before the first window
   * @param minimum median service time at a limit of 3, nanoseconds; 0 before it is known
   * @param measuring whether it is being measured
   * @param tasks tasks seen while measuring
   * @param sum of their medians, nanoseconds times tasks
   * @param since nanoseconds since it was measured
   * @param asked size asked for last, 0 before the first window
   */
  public record State(
      double limit,
      double minimum,
      boolean measuring,
      long tasks,
      double sum,
      long since,
      int asked) {

    /** Knows nothing. */
    public static final State INITIAL = new State(0, 0, false, 0, 0, 0, 0);
  }

  private final int maximum;
  private State state = State.INITIAL;

  /**
   * @param maximum largest limit, 3 or more
   */
  public EnvoyController(int maximum) {
    this.maximum = Require.atLeast(MEASURED_AT, "maximum", maximum);
  }

  @Override
  public String name() {
    return "envoy-style";
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public EnvoyController resume(State state) {
    EnvoyController resumed = new EnvoyController(maximum);
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> fault = Soundness.fault(window);
    if (fault.isPresent()) {
      return Decision.keep(window, "window passed over: " + fault.get());
    }
    long tasks = window.serviceTime().count();
    if (window.idle() || tasks <= 0 || window.serviceTime().p50() <= 0) {
      return Decision.keep(window, "no task ended: nothing to compare");
    }
    State s = state;
    if (s.asked == 0) {
      return startMeasuring(window, new State(window.size(), 0, false, 0, 0, 0, window.size()));
    } else if (s.measuring) {
      return measure(window, s, tasks);
    }
    long since = s.since + window.end() - window.start();
    double limit = window.size() == s.asked ? s.limit : window.size();
    State now = new State(limit, s.minimum, false, 0, 0, since, s.asked);
    return since >= EVERY ? startMeasuring(window, now) : follow(window, now);
  }

  private Decision startMeasuring(Window window, State s) {
    state = new State(s.limit, s.minimum, true, 0, 0, s.since, MEASURED_AT);
    return Decision.towards(
        MEASURED_AT,
        "down to 3 from %d to measure the minimal service time".formatted(window.size()));
  }

  private Decision measure(Window window, State s, long tasks) {
    long seen = s.tasks + tasks;
    double sum = s.sum + (double) tasks * window.serviceTime().p50();
    if (seen < TASKS) {
      state = new State(s.limit, s.minimum, true, seen, sum, s.since, MEASURED_AT);
      return Decision.towards(
          MEASURED_AT, "measuring the minimal service time: %d of 50 tasks".formatted(seen));
    }
    double minimum = sum / seen;
    int size = (int) s.limit;
    state = new State(s.limit, minimum, false, 0, 0, 0, size);
    return Decision.towards(
            size,
            String.format(
                Locale.ROOT,
                "the minimal service time is %.3f ms; back to %d",
                minimum / 1e6,
                size))
        .because(Map.of("minimum", minimum));
  }

  private Decision follow(Window window, State s) {
    double median = window.serviceTime().p50();
    double gradient =
        Math.max(LEAST_GRADIENT, Math.min(LARGEST_GRADIENT, BUFFER * s.minimum / median));
    double scaled = gradient * s.limit;
    double limit = Math.max(MEASURED_AT, Math.min(maximum, scaled + Math.sqrt(scaled)));
    state = new State(limit, s.minimum, false, 0, 0, s.since, (int) limit);
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("minimum", s.minimum);
    numbers.put("median", median);
    numbers.put("gradient", gradient);
    numbers.put("limit", limit);
    return Decision.towards(
            (int) limit,
            String.format(
                Locale.ROOT,
                "median %.3f ms against a minimum of %.3f ms: gradient %.2f, limit %.1f to %.1f",
                median / 1e6,
                s.minimum / 1e6,
                gradient,
                s.limit,
                limit))
        .because(numbers);
  }
}
