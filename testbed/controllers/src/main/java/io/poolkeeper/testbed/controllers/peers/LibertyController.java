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
import java.util.function.IntPredicate;

/**
 * A table of what each size gave, as the default executor of Open Liberty keeps it (built from its
 * description).
 *
 * <p><b>Rule.</b> Every 1.5 s the throughput enters the row of the size: {@code mean += 0.2 d},
 * {@code variance = 0.8 (variance + 0.2 d^2)} with {@code d = throughput - mean}. The mean of the
 * row is the forecast. The score to grow is the mean, over the rows of larger sizes, of the
 * probability that a normal variable with their mean and variance is above the forecast; the score
 * to shrink likewise over smaller sizes. Without such a row a coin gives 0.7 or 0. A score of 0.5
 * that leads the other by 0.25 moves the size by a step; after 5 intervals without a move a random
 * one is forced. Hang: for every 750 ms in which tasks wait, none ends and less than 5 % of the CPU
 * is used, a step more.
 *
 * <p><b>Where the source is silent.</b> The step is the number of processors, and at least 1. The
 * coin is seeded. A step that would go below 1 is not taken. Unmeasured CPU counts as idle. Time in
 * which no task ran, or in which the pool hangs, belongs to no interval, and an interval in which
 * the size changed starts anew.
 *
 * <p><b>When it fails.</b> Nothing tells it that a size is good enough: on a flat curve the forced
 * moves and the noise of two rows keep it going between {@code n} and {@code n + step} for weeks. A
 * workload that changed is seen through the rows of the old one. The step does not get smaller near
 * the optimum, nor larger far from it.
 */
public final class LibertyController implements Resumable<LibertyController.State> {

  private static final long INTERVAL = Duration.ofMillis(1500).toNanos();
  private static final long HANG = Duration.ofMillis(750).toNanos();
  private static final double WEIGHT = 0.2;
  private static final double HEADS = 0.7;
  private static final double ACT = 0.5;
  private static final double LEAD = 0.25;
  private static final int QUIET = 5;
  private static final double IDLE_CPU = 0.05;

  /**
   * Results of one size.
   *
   * @param size workers
   * @param mean smoothed throughput, per second
   * @param variance its smoothed variance
   */
  public record Row(int size, double mean, double variance) {

    Row with(double throughput) {
      double difference = throughput - mean;
      return new Row(
          size,
          mean + WEIGHT * difference,
          (1 - WEIGHT) * (variance + WEIGHT * difference * difference));
    }

    /** The probability that this size gives more than {@code throughput}. */
    double beats(double throughput) {
      if (variance == 0) {
        return 0.5 * (1 + Math.signum(mean - throughput));
      }
      return Normal.below((mean - throughput) / Math.sqrt(variance));
    }
  }

  /**
   * All that the controller knows.
   *
   * @param rows one a size, in the order in which they were first seen
   * @param size of the open interval, 0 before the first window
   * @param nanos length of the open interval
   * @param tasks tasks that ended in it
   * @param quiet intervals since the last move
   * @param hanging nanoseconds for which the pool has hung
   * @param draws coins flipped
   */
  public record State(
      List<Row> rows, int size, long nanos, long tasks, int quiet, long hanging, long draws) {

    /** Knows nothing. */
    public static final State INITIAL = new State(List.of(), 0, 0, 0, 0, 0, 0);

    /** Copies {@code rows}. */
    public State {
      rows = List.copyOf(rows);
    }

    private State interval(int size, long nanos, long tasks) {
      return new State(rows, size, nanos, tasks, quiet, 0, draws);
    }

    private State hanging(long hanging) {
      return new State(rows, size, nanos, tasks, quiet, hanging, draws);
    }
  }

  private final int step;
  private final int cores;
  private final Coin coin;
  private State state = State.INITIAL;

  /**
   * @param step workers added or taken away at once, 1 or more
   * @param cores processors of the pool's machine, 1 or more
   * @param seed of the coin
   */
  public LibertyController(int step, int cores, long seed) {
    this(Require.atLeast(1, "step", step), Require.atLeast(1, "cores", cores), new Coin(seed));
  }

  private LibertyController(int step, int cores, Coin coin) {
    this.step = step;
    this.cores = cores;
    this.coin = coin;
  }

  @Override
  public String name() {
    return "liberty-style";
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public LibertyController resume(State state) {
    LibertyController resumed = new LibertyController(step, cores, coin);
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> fault = Soundness.fault(window);
    if (fault.isPresent()) {
      return Decision.keep(window, "window passed over: " + fault.get());
    }
    double cpu = Soundness.cpu(window, cores);
    if (Soundness.stalled(window) && !(cpu >= IDLE_CPU)) {
      return hang(window);
    }
    if (Soundness.empty(window)) {
      state = state.hanging(0);
      return Decision.keep(window, "no task ran: no part of an interval");
    }
    boolean anew = window.size() != state.size;
    long nanos = (anew ? 0 : state.nanos) + window.end() - window.start();
    long tasks = (anew ? 0 : state.tasks) + Soundness.ended(window);
    state = state.interval(window.size(), nanos, tasks);
    if (nanos < INTERVAL) {
      return Decision.keep(
          window, "%d of 1500 ms of the interval have passed".formatted(nanos / 1_000_000));
    }
    return decide(window, tasks / (nanos / 1e9));
  }

  private Decision hang(Window window) {
    long hanging = state.hanging + window.end() - window.start();
    long steps = hanging / HANG;
    state = state.hanging(hanging % HANG);
    if (steps == 0) {
      return Decision.keep(
          window, "tasks wait and none ended for %d ms".formatted(hanging / 1_000_000));
    }
    long size = window.size() + steps * step;
    return Decision.towards(
        (int) Math.min(Integer.MAX_VALUE, size),
        "hang: tasks wait, none ended and the CPU is idle; %d more".formatted(steps * step));
  }

  private Decision decide(Window window, double throughput) {
    int size = window.size();
    List<Row> rows = new ArrayList<>(state.rows);
    Row current = new Row(size, throughput, 0);
    boolean found = false;
    for (int i = 0; i < rows.size(); i++) {
      if (rows.get(i).size == size) {
        current = rows.get(i).with(throughput);
        rows.set(i, current);
        found = true;
      }
    }
    if (!found) {
      rows.add(current);
    }
    Toss toss = new Toss(rows, current.mean, state.draws);
    boolean canShrink = size > step;
    double grow = toss.score(other -> other > size);
    double shrink = canShrink ? toss.score(other -> other < size) : 0;
    int direction = 0;
    String why = "neither leads";
    if (grow >= ACT && grow - shrink >= LEAD) {
      direction = 1;
      why = "larger sizes are likely to beat it";
    } else if (shrink >= ACT && shrink - grow >= LEAD) {
      direction = -1;
      why = "smaller sizes are likely to beat it";
    } else if (state.quiet + 1 >= QUIET) {
      direction = !canShrink || toss.heads() ? 1 : -1;
      why = "a random move after %d quiet intervals".formatted(QUIET);
    }
    int quiet = direction == 0 ? state.quiet + 1 : 0;
    state = new State(rows, size, 0, 0, quiet, 0, toss.draws);
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("throughput", throughput);
    numbers.put("forecast", current.mean);
    numbers.put("grow", grow);
    numbers.put("shrink", shrink);
    return Decision.towards(
            size + direction * step,
            String.format(
                Locale.ROOT,
                "%s: score %.2f to grow, %.2f to shrink, at %.1f/s",
                why,
                grow,
                shrink,
                current.mean))
        .because(numbers);
  }

  /** The scores of one interval, and the coins that they take. */
  private final class Toss {
    private final List<Row> rows;
    private final double forecast;
    private long draws;

    Toss(List<Row> rows, double forecast, long draws) {
      this.rows = rows;
      this.forecast = forecast;
      this.draws = draws;
    }

    double score(IntPredicate sizes) {
      return rows.stream()
          .filter(row -> sizes.test(row.size))
          .mapToDouble(row -> row.beats(forecast))
          .average()
          .orElseGet(() -> heads() ? HEADS : 0);
    }

    boolean heads() {
      return coin.heads(draws++);
    }
  }
}
