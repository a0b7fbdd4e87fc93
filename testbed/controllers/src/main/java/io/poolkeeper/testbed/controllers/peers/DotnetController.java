package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import io.poolkeeper.testbed.controllers.Coin;
import io.poolkeeper.testbed.controllers.Require;
import io.poolkeeper.testbed.controllers.windows.Soundness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Hill climbing with a wave, as the thread pool of .NET does it (Hellerstein, Morrison, Eilebrecht
 * 2008, with the constants of the product; built from their description).
 *
 * <p><b>Rule.</b> The size swings with a period of 4 samples by an amplitude {@code a}. Over the
 * last 32 samples, with {@code T} and {@code N} the waves of throughput and size at that period,
 * each divided by the mean of its series:
 *
 * <pre>
 * error      = largest wave of the throughput at the two neighbouring periods
 * noise      = 0.99 noise + 0.01 error
 * ratio      = (T - 0.15 N) / N
 * confidence = |N| / max(noise, error) / 3
 * m          = clamp(Re ratio, -1, 1) * clamp(confidence, 0, 1)
 * setting   += min(20, sign(m) m^2 * 4 dt),  not up above 95 % CPU
 * a          = clamp(0.5 + 2 * 3 * setting * noise, 1, 20)
 * size       = setting + a in every second pair of samples
 * </pre>
 *
 * <p>A sample is closed after an interval of 10 to 200 ms, and only when {@code (size - 1) / tasks
 * ended < 0.15}. Starvation: for every 500 ms in which tasks wait and none begins, one worker more.
 *
 * <p><b>Where the source is silent.</b> How the amplitude grows with the noise is as above. The
 * interval is drawn, seeded, when the size was changed by someone else, and at the start. Intervals
 * end with a window, so windows should be short; windows without a task belong to no sample. A task
 * counts as begun when one ended before it. Unmeasured CPU limits nothing. A size that is not the
 * one asked for, such as the nearest bound, moves the setting by the difference.
 *
 * <p><b>When it fails.</b> It moves by at most 4 workers a second and needs two periods before it
 * moves at all, so a far optimum takes minutes. Where the throughput's noise has the wave's period
 * it follows the noise. Few or long tasks close no sample. The wave itself never stops: a size that
 * is right is left in every second pair of samples.
 */
public final class DotnetController implements Resumable<DotnetController.State> {

  private static final int PERIOD = 4;
  private static final int HISTORY = 32;
  private static final double TARGET_RATIO = 0.15;
  private static final double SIGNAL_TO_NOISE = 3;
  private static final double SMOOTHING = 0.01;
  private static final double WORKERS_A_SECOND = 4;
  private static final double LARGEST_MOVE = 20;
  private static final double LARGEST_WAVE = 20;
  private static final double BUSY_CPU = 0.95;
  private static final double LARGEST_ERROR = 0.15;
  private static final int SHORTEST_MILLIS = 10;
  private static final int LONGEST_MILLIS = 200;
  private static final long STARVED = Duration.ofMillis(500).toNanos();

  /**
   * A closed sample.
   *
   * @param throughput tasks ended per second
   * @param size workers
   */
  public record Sample(double throughput, int size) {}

  /**
   * All that the controller knows.
   *
   * @param samples the last 32, oldest first
   * @param closed samples closed since the start
   * @param setting the size without the wave
   * @param noise smoothed error of the throughput's wave, a fraction of its mean
   * @param asked size asked for last, 0 before the first window
   * @param seconds length of the open sample
   * @param tasks tasks that ended in it
   * @param starved nanoseconds for which tasks have waited and none began
   * @param draws intervals drawn
   */
  public record State(
      List<Sample> samples,
      long closed,
      double setting,
      double noise,
      int asked,
      double seconds,
      long tasks,
      long starved,
      long draws) {

    /** Knows nothing. */
    public static final State INITIAL = new State(List.of(), 0, 0, 0, 0, 0, 0, 0, 0);

    /** Copies {@code samples}. */
    public State {
      samples = List.copyOf(samples);
    }
  }

  private final int cores;
  private final Coin coin;
  private State state = State.INITIAL;

  /**
   * @param cores processors of the pool's machine, 1 or more
   * @param seed of the intervals that are drawn
   */
  public DotnetController(int cores, long seed) {
    this(Require.atLeast(1, "cores", cores), new Coin(seed));
  }

  private DotnetController(int cores, Coin coin) {
    this.cores = cores;
    this.coin = coin;
  }

  @Override
  public String name() {
    return "dotnet-style";
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public DotnetController resume(State state) {
    DotnetController resumed = new DotnetController(cores, coin);
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> fault = Soundness.fault(window);
    if (fault.isPresent()) {
      return Decision.keep(window, "window passed over: " + fault.get());
    }
    State s = state;
    if (window.size() != s.asked) {
      double setting = s.asked == 0 ? window.size() : s.setting + window.size() - s.asked;
      s = force(s, window.size(), setting);
    }
    if (Soundness.stalled(window)) {
      return starve(window, s);
    }
    if (Soundness.empty(window)) {
      state = with(s, s.seconds, s.tasks, 0);
      return Decision.keep(window, "no task ran: no part of a sample");
    }
    double seconds = s.seconds + window.seconds();
    long tasks = s.tasks + Soundness.ended(window);
    state = with(s, seconds, tasks, 0);
    int interval = SHORTEST_MILLIS + coin.draw(state.draws, LONGEST_MILLIS - SHORTEST_MILLIS + 1);
    if (seconds * 1000 < interval) {
      return Decision.keep(
          window, "the sample is open: %.0f of %d ms".formatted(seconds * 1000, interval));
    }
    if (tasks == 0 || (window.size() - 1) / (double) tasks >= LARGEST_ERROR) {
      return Decision.keep(
          window,
          "the sample is open: %d tasks are too few for %d workers"
              .formatted(tasks, window.size()));
    }
    return close(window, seconds, tasks);
  }

  /** The state after somebody, starvation included, set the size: another interval, no sample. */
  private static State force(State s, int size, double setting) {
    return new State(
        s.samples, s.closed, Math.max(1, setting), s.noise, size, 0, 0, s.starved, s.draws + 1);
  }

  private static State with(State s, double seconds, long tasks, long starved) {
    return new State(
        s.samples, s.closed, s.setting, s.noise, s.asked, seconds, tasks, starved, s.draws);
  }

  private Decision starve(Window window, State s) {
    long starved = s.starved + (window.end() - window.start());
    int more = (int) (starved / STARVED);
    double seconds = s.seconds + window.seconds();
    if (more == 0) {
      state = with(s, seconds, s.tasks, starved);
      return Decision.keep(
          window, "tasks wait and none began for %d ms".formatted(starved / 1_000_000));
    }
    int size = window.size() + more;
    state = with(force(s, size, s.setting + more), 0, 0, starved % STARVED);
    return Decision.towards(size, "starvation: tasks wait and none began, %d more".formatted(more))
        .because(Map.of("setting", state.setting));
  }

  private Decision close(Window window, double seconds, long tasks) {
    State s = state;
    List<Sample> samples = new ArrayList<>(s.samples);
    samples.add(new Sample(tasks / seconds, window.size()));
    if (samples.size() > HISTORY) {
      samples.remove(0);
    }
    long closed = s.closed + 1;
    Climb climb = new Climb(samples, s.noise, seconds);
    double cpu = Soundness.cpu(window, cores);
    boolean held = climb.move > 0 && cpu > BUSY_CPU;
    double setting = Math.max(1, s.setting + (held ? 0 : climb.move));
    double amplitude =
        Math.max(1, Math.min(LARGEST_WAVE, 0.5 + 2 * SIGNAL_TO_NOISE * setting * climb.noise));
    boolean high = closed / (PERIOD / 2) % 2 == 1;
    int size = (int) (setting + (high ? (int) amplitude : 0));
    state = new State(samples, closed, setting, climb.noise, size, 0, 0, 0, s.draws);
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("throughput", tasks / seconds);
    numbers.put("ratio", climb.ratio);
    numbers.put("confidence", climb.confidence);
    numbers.put("noise", climb.noise);
    numbers.put("move", setting - s.setting);
    numbers.put("setting", setting);
    return Decision.towards(
            size,
            String.format(
                Locale.ROOT,
                "%s; setting %.2f, wave %s %d",
                held
                    ? String.format(Locale.ROOT, "no growth at %.0f %% CPU", cpu * 100)
                    : climb.explain(),
                setting,
                high ? "+" : "0 of",
                (int) amplitude))
        .because(numbers);
  }

  /** Conclusions from the samples: the formulas of the class comment. */
  private static final class Climb {
    private double ratio;
    private double confidence;
    private double noise;
    private double move;
    private int used;

    Climb(List<Sample> samples, double noiseBefore, double seconds) {
      noise = noiseBefore;
      // The first sample of all is not used: it began before the first size was in force.
      used = (samples.size() < HISTORY ? samples.size() - 1 : HISTORY) / PERIOD * PERIOD;
      if (used <= PERIOD) {
        return;
      }
      List<Sample> last = samples.subList(samples.size() - used, samples.size());
      List<Double> throughputs = last.stream().map(Sample::throughput).toList();
      List<Double> sizes = last.stream().map(sample -> (double) sample.size).toList();
      double meanThroughput = mean(throughputs);
      double meanSize = mean(sizes);
      Wave throughput = Wave.of(throughputs, PERIOD).times(1 / meanThroughput);
      Wave size = Wave.of(sizes, PERIOD).times(1 / meanSize);
      int periods = used / PERIOD;
      double error =
          Math.max(
                  Wave.of(throughputs, (double) used / (periods + 1)).magnitude(),
                  Wave.of(throughputs, (double) used / (periods - 1)).magnitude())
              / meanThroughput;
      noise = noise == 0 ? error : SMOOTHING * error + (1 - SMOOTHING) * noise;
      double worst = Math.max(noise, error);
      confidence = worst > 0 ? size.magnitude() / worst / SIGNAL_TO_NOISE : 1;
      if (size.magnitude() > 0) {
        ratio = throughput.minus(size.times(TARGET_RATIO)).realRatio(size);
      }
      double m = Math.max(-1, Math.min(1, ratio)) * Math.max(0, Math.min(1, confidence));
      move = Math.min(LARGEST_MOVE, Math.signum(m) * m * m * WORKERS_A_SECOND * seconds);
    }

    String explain() {
      return used <= PERIOD
          ? "too few samples to tell"
          : String.format(
              Locale.ROOT,
              "throughput follows the wave with %.2f above the target, confidence %.2f, move %+.2f",
              ratio,
              confidence,
              move);
    }

    private static double mean(List<Double> values) {
      return values.stream().mapToDouble(Double::doubleValue).sum() / values.size();
    }
  }
}
