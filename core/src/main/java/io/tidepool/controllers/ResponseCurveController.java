package io.tidepool.controllers;

import static io.tidepool.controllers.Explanation.say;

import io.tidepool.Decision;
import io.tidepool.Objective;
import io.tidepool.Window;
import io.tidepool.controllers.SizeChoice.Experiment;
import io.tidepool.controllers.Watch.Restart;
import io.tidepool.controllers.Watch.Verdict;
import io.tidepool.spi.Resumable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Learns how much a pool of each size achieves, and stands at the smallest size that is within a
 * tolerance of the best.
 *
 * <p><b>Why.</b> Controllers that compare two windows and forget the rest [1, 2] lose to noise: at
 * a noise of 8 % a window, a difference of 3 % takes a hundred windows to see. This one keeps a
 * model and lets every window speak for all sizes. The reward as a function of the size is no
 * arbitrary function: in proportion to the size at first, then bent by a limit (processors,
 * permits), by contention or by crosstalk [3]. {@link CurveShapes} holds some hundred such shapes,
 * with knees everywhere. Bayes' rule gives each its probability from the few numbers kept a size
 * (see {@link CurveBelief}), and two or three sizes leave few shapes standing.
 *
 * <p><b>Where to stand.</b> Each size has an expected loss: reward missing beyond the tolerance if
 * the knee lies above, a price per doubling for workers that bring nothing if it lies below ({@link
 * SizeChoice}). The smallest is taken. So the size grows by leaps while every shape that is left
 * says that more is better, up to fourfold a window, and is within reach of 128 after four.
 *
 * <p><b>When to step aside.</b> A window at another size has a few possible outcomes; after each of
 * them the shapes are weighed anew and perhaps another size is chosen. What that gains on average,
 * over the time for which it stays true, less what it costs to stand there, is the value of the
 * experiment [4]. It is made if that is worth a resize, and not for curiosity: at a clear knee
 * there are none. Windows say again what is known of a size already, so a size that was seen often
 * promises nothing more, and on work that stays the same the size comes to rest: what is known
 * fades the slower the longer it has held ({@link Knowledge}), so it is put to the test again after
 * minutes at first, and after hours later.
 *
 * <p><b>What a window says.</b> By Little's law [5] throughput is busy workers over service time,
 * so a window in which the size does not bind tells of the curve at the number of busy workers, and
 * nothing of what is above it; growth needs tasks that wait. In such a window the size need only
 * carry what arrives and some headroom. The law also makes one rate of all objectives: with P tasks
 * in the system the mean response time is P over throughput, whatever P the load imposes, and a
 * percentile is that times its ratio to the mean. So response times are optimised by the rate
 * {@code throughput * mean / percentile}, which knows the effect of the size and not that of the
 * load. Windows count by the number of their completions, and noise is measured between neighbours.
 *
 * <p><b>What drifts.</b> A virtual machine that compiles its program, or a cache that fills, makes
 * all sizes better. So the level that all sizes share is followed apart from the shape ({@link
 * Drift}): what a window is above or below the expected moves the level, as far as levels have
 * moved of late, and only the rest is said of its size.
 *
 * <p><b>When to forget.</b> Not at a fixed rate: a window far from what is expected at its size is
 * first taken for a stall and held against the next ones. If they agree, the work has changed, and
 * what was known is put away; if it fits one of the kinds of work put away before, that one is
 * taken up again. Small differences of one sign that add up [6] make older evidence count less
 * ({@link Watch}).
 *
 * <p><b>Processors.</b> Where workers or process keep the processors busy there is nothing to gain
 * above the size in force, and no experiment is made there: the case of the well-known rule {@code
 * processors * (1 + wait / compute)} with no waiting. The same holds where most workers idle, even
 * if tasks wait: in bursts, or for processors that others use. If they wait for longer than all
 * workers can have been busy, it was for processors, and the window tells what its size achieves.
 *
 * <p><b>Tuning.</b> Half a second is the recommended window: half the time to find a size, and
 * still some hundred completions in most services; windows of fewer than four completions are taken
 * together, and so are windows shorter than a task. The tolerance buys workers for reward. There is
 * nothing else to set.
 *
 * <p><b>When not to use it.</b> Where fewer than some ten tasks end in a second, it learns slower
 * than people do. It maximises one pool's own reward: two pools that call each other are two hills
 * with one summit, and it does not know. Work whose best size changes every few seconds is
 * averaged.
 *
 * <p><b>Numbers</b> of its decisions: points of the curve as {@code curve.SIZE.mean} and {@code
 * curve.SIZE.sd}, expected value of the objective and its standard deviation; {@code chosen}, the
 * size; {@code noise}, the standard deviation of one window as a fraction; {@code acceptable}, the
 * value within the tolerance of the best, or what the demand asks for where that is less.
 *
 * <p>[1] Costa, adaptive concurrency control, 2019. [2] Timm, an OS-level adaptive thread pool for
 * I/O, 2021. [3] Gunther, Guerrilla Capacity Planning, 2007: the universal scalability law. [4]
 * Howard, Information value theory, IEEE Transactions on Systems Science and Cybernetics 2, 1966.
 * [5] Little, A proof for the queuing formula L = λW, Operations Research 9, 1961. [6] Page,
 * Continuous inspection schemes, Biometrika 41, 1954.
 */
public final class ResponseCurveController implements Resumable<ResponseCurveController.State> {

  /** Name by which people know it. */
  public static final String NAME = "response-curve";

  /** How many times the largest size that was tried the next one may be. */
  private static final double LEAP = 4;

  /** The same where a task takes longer than a window: it takes as long to come back. */
  private static final double LEAP_WHEN_SLOW = 2;

  /** A size is left only for one whose expected loss is smaller by this fraction of the reward. */
  private static final double INERTIA = 0.002;

  /** Evidence of few windows must not be upset by an outlier among them: Student's t, 4 degrees. */
  private static final double FREEDOM = 4;

  /** Nothing ends, all are busy, tasks wait: after so many seconds more workers may free them. */
  private static final double HANG_SECONDS = 5;

  /** Of the tolerance so much is used; the rest is for what is not known. */
  private static final double SPENT = 0.7;

  /** What an experiment must promise, in windows' worth of reward; where the size does not bind. */
  private static final double WORTHWHILE = 0.2;

  private static final double WORTHWHILE_WHEN_FREE = 1;

  /** A size that is smaller than what is useful by so little will do. */
  private static final double NEARLY = 0.98;

  /**
   * Seconds that a window ages what is known by at most. In a longer one the process has stood
   * still, or its clock has jumped; one of days would otherwise put all that was known in doubt,
   * and what is learned next beyond doubt, since it would count as what has held for days.
   */
  private static final double LONGEST = 600;

  /** Processors are busy from this fraction on. */
  private static final double CPU_SATURATED = 0.92;

  /** Workers that use so much of their busy time on a processor compute rather than wait. */
  private static final double COMPUTING = 0.5;

  /**
   * All that the controller knows.
   *
   * @param now its own time: seconds of all sound windows
   * @param knowledge of the curve
   * @param noise of a window
   * @param drift of the level of all sizes
   * @param demand for workers
   * @param watch over changes of the work
   * @param gathering windows that say too little each
   * @param latitude where the pool can be sent
   */
  public record State(
      double now,
      Knowledge knowledge,
      Noise noise,
      Drift drift,
      Demand demand,
      Watch watch,
      Gathering gathering,
      Latitude latitude) {

    /** Knows nothing. */
    public static final State INITIAL =
        new State(
            0,
            Knowledge.NONE,
            Noise.INITIAL,
            Drift.NONE,
            Demand.NONE,
            Watch.INITIAL,
            Gathering.NONE,
            Latitude.UNKNOWN);
  }

  private final Objective objective;
  private final double tolerance;
  private final int processors;
  private State state = State.INITIAL;

  /** What follows from the state, kept because it takes a while; null if not worked out. */
  private @Nullable CurveBelief belief;

  /**
   * @param objective what is optimised
   * @param tolerance fraction of the best reward that may be missing for the sake of fewer workers,
   *     above 0 and below 0.5; 0.03 is recommended
   * @param processors that the work may use, 1 or more
   * @throws IllegalArgumentException naming the setting that is out of its range
   */
  public ResponseCurveController(Objective objective, double tolerance, int processors) {
    if (!(tolerance > 0 && tolerance < 0.5)) {
      throw new IllegalArgumentException(
          "tolerance must be a fraction above 0 and below 0.5, such as 0.03, but is " + tolerance);
    }
    if (processors < 1) {
      throw new IllegalArgumentException("processors must be >= 1, but is " + processors);
    }
    this.objective = objective;
    this.tolerance = tolerance;
    this.processors = processors;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public ResponseCurveController resume(State state) {
    ResponseCurveController resumed = new ResponseCurveController(objective, tolerance, processors);
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<Reading> read = Reading.of(window, objective);
    if (read.isEmpty()) {
      return Decision.towards(Math.max(1, window.size()), "no sense in this window, size kept");
    }
    Turn turn = new Turn(window, read.get());
    Decision decision = turn.decide();
    state = turn.next(decision.size());
    belief = turn.after;
    return decision;
  }

  /** One window's way. */
  private final class Turn {
    private final Window window;
    private final Reading reading;
    private final double now;
    private Knowledge knowledge = state.knowledge;
    private Noise noise = state.noise;
    private Drift drift;
    private Demand demand;
    private Watch watch = state.watch;
    private Gathering gathering;
    private final Latitude latitude;
    private boolean slow;
    private String news = "";
    private @Nullable CurveBelief after;

    Turn(Window window, Reading reading) {
      this.window = window;
      this.reading = reading;
      this.now = state.now + reading.seconds();
      this.drift = state.drift.after(aging(reading));
      this.demand = state.demand.with(reading);
      this.gathering = state.gathering.with(reading);
      this.latitude = state.latitude.seen(reading.size());
    }

    State next(int asked) {
      return new State(
          now, knowledge, noise, drift, demand, watch, gathering, latitude.asking(asked));
    }

    Decision decide() {
      int size = reading.size();
      if (reading.ended() == 0 && reading.present() < 1) {
        return idle();
      }
      if (reading.shrinking()) {
        noise = noise.skipped();
        gathering = Gathering.NONE;
        return Decision.towards(
            size, say("%.1f workers still busy on the way down to %d", reading.busy(), size));
      }
      if (!gathering.complete()) {
        return wait(size);
      }
      Reading gathered = gathering.reading();
      slow = gathered.service() > reading.seconds();
      gathering = Gathering.NONE;
      return learn(gathered);
    }

    private Decision idle() {
      demand = Demand.NONE;
      noise = noise.skipped();
      gathering = Gathering.NONE;
      int half = Math.max(1, reading.size() / 2);
      return Decision.towards(half, "idle: nothing runs, waits or has ended");
    }

    private Decision wait(int size) {
      boolean hangs =
          gathering.stalled() >= HANG_SECONDS
              && reading.utilisation() > 0.95
              && reading.waiting() >= 1;
      if (hangs) {
        int more = (int) Math.min(size + 1L + size / 4, (long) Math.ceil(reading.present()));
        return Decision.towards(
            Math.max(size, more),
            say(
                "nothing has ended for %.1f s, all %d workers are busy and %.0f tasks wait: more"
                    + " workers, in case they wait for each other",
                gathering.stalled(), size, reading.waiting()));
      }
      return Decision.towards(
          size,
          say(
              "only %.0f completions in %.1f s at this size, too few to learn from",
              gathering.completions(), gathering.seconds()));
    }

    private Decision learn(Reading seen) {
      int size = seen.size();
      double countNoise = Noise.ofCount(seen.completions());
      double variance = noise.variance() + countNoise;
      CurveBelief before = belief == null ? new CurveBelief(knowledge) : belief;
      int index = SizeGrid.nearest(seen.concurrency());
      double level = onGrid(StrictMath.log(seen.rate()), seen.concurrency(), index, before);
      double blur = seen.blur(state.latitude.size());
      double off = 0;
      boolean informed = before.informed();
      if (informed) {
        CurveBelief.Level expected = before.level(index);
        double known =
            expected.variance()
                + drift.variance()
                + blur * blur
                + CurveBelief.MISFIT * CurveBelief.MISFIT;
        off = (level - expected.mean()) / Math.sqrt(variance + known);
        watch =
            watch.with(
                new Watch.Sight(index, level, weight(countNoise, blur, 0), seen.seconds(), off));
        Verdict verdict = watch.verdict();
        if (verdict == Verdict.SUSPECT) {
          noise = noise.skipped();
          Explanation told = new Explanation(objective, seen.present(), before);
          return Decision.towards(
                  size,
                  say(
                      "%s is far from the expected %s: a stall that passes, or other work?",
                      told.at(level), told.expected(index)))
              .because(told.numbers(index, noise, acceptable(told, seen)));
        }
        if (verdict == Verdict.CHANGED) {
          Restart restart = watch.changed(knowledge, now);
          watch = restart.watch();
          knowledge = restart.knowledge();
          noise = noise.skipped();
          drift = Drift.NONE;
          news =
              Double.isNaN(restart.since())
                  ? "other work than before; "
                  : say("work as it was %.0f s ago; ", restart.since());
          return choose(seen);
        }
        if (seen.telling()) {
          noise = noise.surprised(index, level - expected.mean(), known, countNoise);
        }
      }
      noise = seen.telling() ? noise.with(index, level, countNoise) : noise.skipped();
      double weight = weight(countNoise, blur, off);
      double unsteady = 0;
      if (informed) {
        CurveBelief.Level expected = before.level(index);
        double doubt = CurveBelief.CORRELATION * variance + blur * blur;
        unsteady = drift.variance();
        drift = drift.seen(level - expected.mean(), expected.variance() + doubt);
        double moved = drift.offset();
        drift = drift.without(moved);
        knowledge = knowledge.moved(moved);
        weight *= doubt / (doubt + unsteady);
      }
      knowledge = knowledge.after(aging(seen)).with(index, weight, level, SizeGrid.nearest(size));
      return choose(seen);
    }

    /** Seconds by which a window ages what is known. */
    private static double aging(Reading reading) {
      return Math.min(LONGEST, reading.seconds());
    }

    /** How much a window counts, against one without noise of counting at a size that binds. */
    private double weight(double countNoise, double blur, double off) {
      double all = noise.variance() + countNoise + blur * blur;
      return Noise.USUAL / all * Math.min(1, (FREEDOM + 1) / (FREEDOM + off * off));
    }

    /** Moves a level along the expected curve, from where it was seen to a place of the grid. */
    private double onGrid(double level, double concurrency, int index, CurveBelief belief) {
      double away = StrictMath.log(SizeGrid.size(index) / concurrency);
      if (concurrency < 1) {
        return level + away; // In proportion: nobody is in the way.
      }
      int other = away < 0 ? index + 1 : index - 1;
      if (Math.abs(away) < 1e-9 || other < 0 || other >= SizeGrid.COUNT) {
        return level;
      }
      double slope =
          (belief.level(other).mean() - belief.level(index).mean())
              / StrictMath.log((double) SizeGrid.size(other) / SizeGrid.size(index));
      return level + slope * away;
    }

    private Decision choose(Reading seen) {
      int size = seen.size();
      CurveBelief belief = new CurveBelief(knowledge);
      after = belief;
      int last = largest(seen);
      SizeChoice choice = new SizeChoice(belief, SPENT * tolerance, last, enough(seen));
      int here = SizeGrid.nearest(size);
      int best = choice.best();
      if (here <= last && choice.loss(here) - choice.loss(best) < INERTIA) {
        best = here;
      }
      // Where the size does not bind nothing above it can be learned, and little is amiss.
      Experiment experiment =
          choice.experiment(
              SizeGrid.atLeast(latitude.floor()),
              Math.min(SizeGrid.nearest(latitude.ceiling()), seen.telling() ? last : here - 1),
              noise.variance() + Noise.ofCount(seen.completions()),
              drift.variance(),
              seen.seconds(),
              seen.telling() ? WORTHWHILE : WORTHWHILE_WHEN_FREE);
      int index = experiment.index() < 0 ? best : experiment.index();
      int wanted = index == here && experiment.index() < 0 ? size : SizeGrid.size(index);
      Explanation told = new Explanation(objective, seen.present(), belief);
      String reason = told.why(index, here, last, tolerance, experiment, seen, demand);
      return Decision.towards(wanted, news + reason)
          .because(told.numbers(index, noise, acceptable(told, seen)));
    }

    /** Reward per second beyond which more is of no use; infinite where the size binds. */
    private double enough(Reading seen) {
      return seen.telling()
          ? Double.POSITIVE_INFINITY
          : demand.enough(seen.busy()) * seen.rate() * seen.seconds() / seen.completions();
    }

    private double acceptable(Explanation told, Reading seen) {
      return told.acceptable(largest(seen), tolerance, enough(seen));
    }

    /** Place in the grid of the largest size that comes into question. */
    private int largest(Reading seen) {
      double useful = demand.useful(seen.telling());
      double leap = slow ? LEAP_WHEN_SLOW : LEAP;
      int tried = SizeGrid.size(Math.max(0, knowledge.reach()));
      int last = Math.min(SizeGrid.atLeast(NEARLY * useful), SizeGrid.atLeast(leap * tried));
      boolean ample = processorsSaturated() || seen.ample();
      return ample ? Math.min(last, SizeGrid.atLeast(seen.size())) : last;
    }

    /** Whether the workers compute more than they wait, and all processors are busy. */
    private boolean processorsSaturated() {
      double available = processors * reading.seconds() * 1e9;
      double computing = window.workerCpu() / (reading.busy() * reading.seconds() * 1e9);
      return computing > COMPUTING
          && Math.max(window.workerCpu(), window.processCpu()) > CPU_SATURATED * available;
    }
  }
}
