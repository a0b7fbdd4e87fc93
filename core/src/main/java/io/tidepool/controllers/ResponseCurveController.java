package io.tidepool.controllers;

import static io.tidepool.controllers.Explanation.say;

import io.tidepool.Decision;
import io.tidepool.Objective;
import io.tidepool.Window;
import io.tidepool.controllers.Watch.Restart;
import io.tidepool.controllers.Watch.Verdict;
import io.tidepool.spi.Resumable;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Learns how much a pool of each size achieves, and stands at the smallest size that is within a
 * tolerance of the best.
 *
 * <p><b>Why.</b> Controllers that compare two windows and forget the rest [1, 2] lose to noise: at
 * a noise of 8 % a window, a difference of 3 % takes a hundred windows to see. This one keeps a
 * model and lets every window speak for all sizes. Most response curves rise in proportion to the
 * size at first and are then bent by a limit, by contention or by crosstalk [3]: {@link
 * CurveShapes} holds some hundred such shapes. A curve may also have cliffs, humps or stairs. So
 * the belief ({@link CurvePosterior}) is a mixture of the shapes and of Gaussian processes from
 * smooth to rough [4], and Bayes' rule weighs them by how well they foretold the windows. A step at
 * a size that was not seen is never ruled out.
 *
 * <p><b>Where to stand.</b> Each size has an expected loss: reward missing beyond the tolerance if
 * the best lies elsewhere, a price per doubling for workers that bring nothing ({@link
 * SizeChoice}). The size with the smallest loss is taken.
 *
 * <p><b>When to step aside.</b> An {@link Experiment} at another size is made if it promises more
 * than it costs [5]. Knowledge about the knee of a shape is valued for a minute. A better size
 * somewhere else is valued for as long as the work has lasted so far, from one to three minutes:
 * longer, and the size would not come to rest. Experiments become rarer as the evidence grows, and
 * each makes the next one dearer for some seconds. Size may grow or shrink fourfold at a time.
 * While a decision stands and windows are as expected, the belief is worked out anew only now and
 * then ({@link Settled}).
 *
 * <p><b>What a window says.</b> By Little's law [6] throughput is busy workers over service time,
 * so a window in which the size does not bind tells of the curve at the number of busy workers, and
 * nothing of what is above it; growth needs tasks that wait or are refused. In such a window the
 * size need only carry what arrives and some headroom. The law also makes one rate of all
 * objectives: with P tasks in the system the mean response time is P over throughput, whatever P
 * the load imposes, and a percentile is that times its ratio to the mean. Few completions are
 * enough to leave a size that is worse than another; to call it better takes one task of each
 * worker.
 *
 * <p><b>What drifts.</b> A virtual machine that compiles its program, or a cache that fills, makes
 * all sizes better. So the level that all sizes share is followed apart from the shape ({@link
 * Drift}), by windows at one and the same size. A surprise after a change of size is evidence about
 * the size.
 *
 * <p><b>When to forget.</b> Not at a fixed rate: a window far from what is expected at a known size
 * is first taken for a stall and held against the next ones ({@link Watch}). If they agree, the
 * work has changed, and what was known is put away; if it fits one of the kinds of work put away
 * before, that one is taken up again. A surprise at a size that was not in force before may be the
 * size's own: a look at a known size tells.
 *
 * <p><b>Collapse.</b> Where garbage collection takes much of the time, a large pool falls at once,
 * before the window is closed, and grows back with care ({@link CollapseGuard}). After a fall to
 * less than half on work that is not known, a large pool first looks at a few workers a processor.
 *
 * <p><b>Processors.</b> Where workers or process keep the processors busy there is nothing to gain
 * above the size in force, and no experiment is made there. The same holds where most workers idle,
 * even if tasks wait: in bursts, or for processors that others use.
 *
 * <p><b>Tuning.</b> Half a second is the recommended window: half the time to find a size, and
 * still some hundred completions in most services; windows of fewer than four completions are taken
 * together, and so are windows shorter than a task. The tolerance buys workers for reward. There is
 * nothing else to set.
 *
 * <p><b>When not to use it.</b> Where fewer than some ten tasks end in a second, it learns slower
 * than people do. Where throughput comes in bursts of several seconds it takes noise for curves. It
 * maximises one pool's own reward: two pools that call each other are two hills with one summit,
 * and it does not know. Work whose best size changes every few seconds is averaged.
 *
 * <p><b>Numbers</b> of its decisions: points of the curve as {@code curve.SIZE.mean} and {@code
 * curve.SIZE.sd}, expected value of the objective and its standard deviation; {@code chosen}, the
 * size; {@code noise}, the standard deviation of one window as a fraction; {@code acceptable}, the
 * value within the tolerance of the best, or what the demand asks for where that is less.
 *
 * <p>[1] Costa, adaptive concurrency control, 2019. [2] Timm, an OS-level adaptive thread pool for
 * I/O, 2021. [3] Gunther, Guerrilla Capacity Planning, 2007: the universal scalability law. [4]
 * Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006. [5] Howard, Information
 * value theory, IEEE Transactions on Systems Science and Cybernetics 2, 1966. [6] Little, A proof
 * for the queuing formula L = λW, Operations Research 9, 1961.
 */
public final class ResponseCurveController implements Resumable<ResponseCurveController.State> {

  /** Name by which people know it. */
  public static final String NAME = "response-curve";

  /** How many times the largest size that was tried the next one may be. */
  private static final double LEAP = 4;

  /** The same where a task takes longer than a window: it takes as long to come back. */
  private static final double LEAP_WHEN_SLOW = 2;

  /** The same after a collapse. */
  private static final double LEAP_WITH_CARE = 1.5;

  /** A size is left only for one whose expected loss is smaller by this fraction of the reward. */
  private static final double INERTIA = 0.015;

  /** Evidence of few windows must not be upset by an outlier among them: Student's t, 4 degrees. */
  private static final double FREEDOM = 4;

  /** Nothing ends, all are busy, tasks wait: after so many seconds more workers may free them. */
  private static final double HANG_SECONDS = 5;

  /** Of the tolerance so much is used; the rest is for what is not known. */
  private static final double SPENT = 0.7;

  /** What an experiment must promise, in windows' worth of reward; where the size does not bind. */
  private static final double WORTHWHILE = 0.2;

  private static final double WORTHWHILE_WHEN_FREE = 1;

  /** From this utilisation on the size was in force, whether tasks waited or not. */
  private static final double FULL = 0.95;

  /** Processors idle up to this fraction. */
  private static final double IDLE = 0.5;

  /** With fewer completions in so many seconds more workers are the only way to learn. */
  private static final double BLIND_SECONDS = 1;

  private static final double BLIND_COMPLETIONS = 4;

  /**
   * Density of a level if the work has changed: once in some fifty windows, to anything within a
   * factor of three or so.
   */
  private static final double OTHER_WORK = 0.02 / 3;

  /** Standard deviations that are suspicious. */
  private static final double FAR_OFF = 4;

  /** The same, where processor time says that the work has changed. */
  private static final double OFF_AS_WELL = 2;

  /** Windows in a row that make another cost a change of the work. */
  private static final int LASTING = 2;

  /** Weight of evidence from which a surprise at a size may be a change of the work. */
  private static final double FAMILIAR = 0.2;

  /** Places of the grid on both sides of the best size that are considered. */
  private static final int NEIGHBOURS = 2;

  /** Windows on the way down to a smaller size that hold too much of what was before. */
  private static final int BLIND_WHILE_DRAINING = 2;

  /** Standard deviation of what a window on the way down says of the size that it passes. */
  private static final double DRAINING_BLUR = 0.45;

  /** Experiments count as recent for so many seconds. */
  private static final double RESTLESS_SECONDS = 10;

  /** Work is new for so many seconds. */
  private static final double NEW_SECONDS = 20;

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
   * @param guard against a full heap
   * @param odd windows in a row whose tasks cost what those before did not
   * @param settled a decision that stands
   * @param survey visits to sizes far from all that were seen
   * @param restless number of experiments lately, fading
   * @param draining windows in a row in which more workers were busy than asked for
   */
  public record State(
      double now,
      Knowledge knowledge,
      Noise noise,
      Drift drift,
      Demand demand,
      Watch watch,
      Gathering gathering,
      Latitude latitude,
      CollapseGuard guard,
      int odd,
      Settled settled,
      Survey survey,
      double restless,
      int draining) {

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
            Latitude.UNKNOWN,
            CollapseGuard.INITIAL,
            0,
            Settled.NONE,
            Survey.NONE,
            0,
            0);
  }

  private final Objective objective;
  private final double tolerance;
  private final int processors;
  private State state = State.INITIAL;

  /** The size that was left at once before the window was closed, 0 for none. */
  private int relievedFrom;

  /** Share of the time in garbage collection for which it was left. */
  private double relievedShare;

  /** What follows from the state, kept because it takes a while; null if not worked out. */
  private @Nullable CurvePosterior belief;

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
  public int relieve(int size, long nanos, long collecting) {
    double share = (double) collecting / nanos;
    int relieved = state.guard.relieved(size, share, processors);
    if (relieved < size) {
      relievedFrom = Math.max(size, relievedFrom);
      relievedShare = Math.max(share, relievedShare);
    }
    return relieved;
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
    private final double share;
    private CollapseGuard guard;
    private final Cost cost;
    private int odd = state.odd;
    private Settled settled = state.settled;
    private Survey survey;
    private double restless;
    private boolean slow;
    private boolean renewed;
    private String news = "";
    private @Nullable CurvePosterior after = belief;

    Turn(Window window, Reading reading) {
      this.window = window;
      this.reading = reading;
      this.now = state.now + reading.seconds();
      double elapsed = aging(reading);
      this.drift = state.drift.after(elapsed, state.knowledge.seconds());
      this.demand = state.demand.with(reading);
      this.gathering = state.gathering.with(reading);
      this.latitude = state.latitude.seen(reading.size());
      this.share = Math.max(0, Math.min(1, window.gc() / 1e9 / reading.seconds()));
      this.guard = state.guard;
      this.cost = Cost.of(window);
      this.survey = state.survey.after(reading.size(), reading.shrinking(), elapsed);
      this.restless = state.restless * StrictMath.exp(-elapsed / RESTLESS_SECONDS);
    }

    State next(int asked) {
      if (settled.decision() == null && state.settled.decision() != null && !renewed) {
        after = null; // It is that of a decision that stands no longer.
      }
      return new State(
          now,
          knowledge,
          noise,
          drift,
          demand,
          watch,
          gathering,
          latitude.asking(asked),
          guard,
          odd,
          settled,
          survey,
          restless,
          reading.shrinking() ? state.draining + 1 : 0);
    }

    Decision decide() {
      int size = reading.size();
      int from = Math.max(size, relievedFrom);
      double collecting = Math.min(1, Math.max(share, relievedShare));
      relievedFrom = 0;
      relievedShare = 0;
      int relieved = from > size ? size : guard.relieved(size, share, processors);
      if (relieved < from) {
        return relieve(from, relieved, collecting);
      }
      if (guard.falseAlarm(reading.busy(), share)) {
        return withdraw();
      }
      guard = guard.after(size, share, reading.seconds());
      if (reading.ended() == 0 && reading.present() < 1) {
        return idle();
      }
      if (reading.shrinking()) {
        return shrink(size);
      }
      if (!gathering.complete() && !collapsed()) {
        return wait(size);
      }
      Reading gathered = gathering.reading();
      slow = gathered.service() > reading.seconds();
      gathering = Gathering.NONE;
      return learn(gathered);
    }

    /** The belief before this window. */
    private CurvePosterior belief() {
      CurvePosterior known = after;
      if (known == null) {
        boolean standing = state.settled.decision() != null;
        known = new CurvePosterior(standing ? state.settled.judged() : knowledge);
        after = known;
      }
      return known;
    }

    /** Falls to a smaller size, without waiting for what it does to the reward. */
    private Decision relieve(int size, int relieved, double collecting) {
      settled = Settled.NONE;
      boolean wasFine = knowledge.weightAt(SizeGrid.nearest(size)) >= FAMILIAR;
      boolean again = guard.surprising();
      guard = guard.tripped((int) Math.max(size, reading.busy()), relieved, collecting, wasFine);
      if (again) {
        // More than one long pause, at sizes that had been fine.
        watch = watch.putAway(knowledge, now);
        knowledge = Knowledge.NONE;
        drift = Drift.NONE;
        after = null;
        guard = guard.asExpected();
      }
      noise = noise.skipped();
      gathering = Gathering.NONE;
      return Decision.towards(
          relieved,
          say(
              "%.0f %% of the time went into garbage collection with %.0f workers busy: to %d,"
                  + " before the heap is full",
              100 * collecting, reading.busy(), relieved));
    }

    /** Takes a fall back: garbage collection was over before any workers were fewer. */
    private Decision withdraw() {
      int back = (int) Math.min(guard.collapsed(), Integer.MAX_VALUE / 8.0);
      guard = guard.withdrawn();
      noise = noise.skipped();
      return Decision.towards(
          back,
          say(
              "that was a pause of the collector: %.0f workers are still busy, and next to no time"
                  + " went into garbage collection",
              reading.busy()));
    }

    /**
     * Waits for workers that are busy beyond the size. A long way down shows the curve on its way,
     * at the number of those that are still busy.
     */
    private Decision shrink(int size) {
      noise = noise.skipped();
      if (state.draining < BLIND_WHILE_DRAINING || guard.careful()) {
        gathering = Gathering.NONE;
      } else if (gathering.enough()) {
        Reading seen = gathering.reading();
        gathering = Gathering.NONE;
        settled = Settled.NONE;
        int index = SizeGrid.nearestCoarse(seen.busy());
        double level = onGrid(StrictMath.log(seen.rate()), seen.busy(), index, belief());
        double weight = weight(Noise.ofCount(seen.completions()), DRAINING_BLUR, 0);
        knowledge = knowledge.after(aging(seen)).with(index, weight, level, index);
        Decision chosen = survey.visiting() == size ? null : choose(seen);
        if (chosen != null && chosen.size() > size) {
          return chosen;
        }
      }
      return Decision.towards(
          size, say("%.1f workers still busy on the way down to %d", reading.busy(), size));
    }

    /** Whether this size is so bad that its first completions say so. */
    private boolean collapsed() {
      CurvePosterior known = belief();
      double best = Double.NEGATIVE_INFINITY;
      for (Evidence seen : knowledge.evidence()) {
        best = Math.max(best, known.level(seen.index()).mean());
      }
      return gathering.collapsed(StrictMath.exp(best));
    }

    private Decision idle() {
      settled = Settled.NONE;
      demand = Demand.NONE;
      noise = noise.skipped();
      gathering = Gathering.NONE;
      // Few enough to cost nothing, and enough for the first of the next tasks.
      int rest = CollapseGuard.safe(processors);
      int size = Math.max(1, reading.size());
      return Decision.towards(
          size <= rest ? size : Math.max(rest, size / 2), "idle: nothing runs, waits or has ended");
    }

    private Decision wait(int size) {
      boolean blind =
          gathering.seconds() >= BLIND_SECONDS
              && gathering.completions() < BLIND_COMPLETIONS
              && reading.utilisation() > 0.95
              && reading.waiting() >= size
              && processorsIdle()
              && knowledge.reach() <= SizeGrid.nearest(size)
              && size < guard.ceiling();
      if (blind) {
        settled = Settled.NONE;
        learnLittle(size);
        return Decision.towards(
            2 * size,
            say(
                "only %.0f completions in %.1f s, %.0f tasks wait and the processors idle: twice as"
                    + " many workers, to learn sooner",
                gathering.completions(), gathering.seconds(), reading.waiting()));
      }
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

    /** Whether the size at a place of the grid was in force before. */
    private boolean known(int index) {
      return knowledge.weightAt(index) >= FAMILIAR || index == mostFamiliar();
    }

    /** The place of the size that was in force longest. */
    private int mostFamiliar() {
      int place = 0;
      double most = 0;
      for (Evidence seen : knowledge.evidence()) {
        if (seen.weight() > most) {
          most = seen.weight();
          place = seen.index();
        }
      }
      return place;
    }

    /** Takes a few completions for a rough estimate; even none says that there are not many. */
    private void learnLittle(int size) {
      double completions = gathering.completions() + 0.5;
      double level = StrictMath.log(completions / gathering.seconds());
      double weight = weight(Noise.ofCount(completions), 0, 0);
      int index = SizeGrid.nearest(size);
      knowledge = knowledge.after(gathering.seconds()).with(index, weight, level, index);
      after = null;
    }

    private Decision learn(Reading seen) {
      int size = seen.size();
      double countNoise = Noise.ofCount(seen.completions());
      double variance = noise.single() + countNoise;
      CurvePosterior before = belief();
      double moved = state.settled.moved();
      settled = Settled.NONE;
      int index =
          seen.telling() || seen.utilisation() > FULL
              ? SizeGrid.nearest(seen.concurrency())
              : SizeGrid.nearestCoarse(seen.concurrency());
      double level = onGrid(StrictMath.log(seen.rate()), seen.concurrency(), index, before);
      double surprise = level - before.level(index).mean() - moved;
      double blur = seen.blur(state.latitude.size());
      double off = 0;
      boolean informed = before.informed();
      if (informed) {
        CurvePosterior.Level expected = before.level(index);
        double known =
            expected.variance()
                + drift.variance()
                + blur * blur
                + ShapePosterior.MISFIT * ShapePosterior.MISFIT;
        boolean familiar =
            knowledge.weightAt(index) >= FAMILIAR || index == mostFamiliar() || guard.surprising();
        off = surprise / Math.sqrt(variance + known);
        // At a size that was not in force before a surprise is the size's own, unless other work is
        // the likelier cause.
        if (!familiar && before.density(index, level - moved, variance) > OTHER_WORK) {
          off = 0;
        } else if (!familiar && Math.abs(off) < FAR_OFF) {
          off = Math.copySign(FAR_OFF, off);
        }
        double counts = weight(countNoise, blur, 0);
        Watch.Sight sight =
            new Watch.Sight(index, level, counts, seen.seconds(), off, familiar, cost);
        for (Watch.Sight own : watch.explained(sight)) {
          after = null;
          knowledge = knowledge.with(own.index(), own.weight(), own.level(), own.index());
        }
        watch = watch.with(sight);
        odd = costsOther(index, off) ? odd + 1 : 0;
        Verdict verdict =
            odd == 0 ? watch.verdict() : odd < LASTING ? Verdict.SUSPECT : Verdict.CHANGED;
        if (verdict == Verdict.SUSPECT) {
          noise = noise.skipped();
          Explanation told = new Explanation(objective, seen.present(), before, SizeGrid.coarse());
          int look = familiar || off > 0 ? size : SizeGrid.size(mostFamiliar());
          return Decision.towards(
                  look,
                  say(
                      "%s is far from the expected %s: a stall that passes, or other work?%s",
                      told.at(level),
                      told.expected(index),
                      look == size ? "" : say(" A look at %d, which is known, will tell", look)))
              .because(told.numbers(index, noise, acceptable(told, seen)));
        }
        if (verdict == Verdict.CHANGED) {
          Restart restart = watch.changed(knowledge, now);
          watch = restart.watch();
          knowledge = restart.knowledge();
          noise = noise.skipped();
          drift = Drift.NONE;
          odd = 0;
          survey = Survey.NONE;
          guard = guard.withOtherWork();
          news =
              Double.isNaN(restart.since())
                  ? "other work than before; "
                  : say("work as it was %.0f s ago; ", restart.since());
          int safe = CollapseGuard.safe(processors);
          after = null;
          if (restart.fell() && Double.isNaN(restart.since()) && size > 2 * safe) {
            return Decision.towards(
                safe,
                say(
                    "%sthe throughput fell by half or more at %d: to %d, a safe size",
                    news, size, safe));
          }
          return choose(seen);
        }
        guard = known(index) ? guard.asExpected() : guard;
        if (seen.telling()) {
          noise = noise.surprised(index, surprise, known, countNoise);
        }
      }
      noise = seen.telling() ? noise.with(index, level, countNoise) : noise.skipped();
      double weight = weight(countNoise, blur, off);
      double unsteady = 0;
      double shift = 0;
      if (informed) {
        CurvePosterior.Level expected = before.level(index);
        double doubt = CurvePosterior.CORRELATION * variance + blur * blur;
        unsteady = drift.variance();
        // A surprise after a change of size is evidence about the size, not about all of them.
        if (index == state.noise.lastIndex()) {
          drift = drift.seen(surprise, expected.variance() + doubt);
          shift = drift.offset();
          drift = drift.without(shift);
          knowledge = knowledge.moved(shift);
        }
        weight *= doubt / (doubt + unsteady);
      }
      knowledge =
          knowledge
              .after(aging(seen))
              .warmed(cost, index)
              .with(index, weight, level, cost, SizeGrid.nearest(size));
      settled = state.settled.next(size, off, shift);
      Decision standing = settled.decision();
      if (standing != null && seen.telling()) {
        return standing;
      }
      Decision chosen = choose(seen);
      if (chosen.size() == size && seen.telling()) {
        double windows = knowledge.weightAt(index) / weight(countNoise, blur, 0);
        settled = Settled.after(chosen, knowledge, windows);
      }
      return chosen;
    }

    /**
     * Whether tasks cost another amount of processor time than those before. That of the process
     * includes what other pools do, so the reward must have been off as well.
     */
    private boolean costsOther(int index, double off) {
      return knowledge.ruledOut(cost.own(), index, Cost::own) > Watch.HALF
          || (Math.abs(off) > OFF_AS_WELL
              && knowledge.ruledOut(cost.process(), index, Cost::process) > Watch.HALF);
    }

    /** Seconds by which a window ages what is known. */
    private static double aging(Reading reading) {
      return Math.min(LONGEST, reading.seconds());
    }

    /** How much a window counts, against one without noise of counting at a size that binds. */
    private double weight(double countNoise, double blur, double off) {
      double all = noise.lasting() + countNoise + blur * blur;
      return Noise.USUAL / all * Math.min(1, (FREEDOM + 1) / (FREEDOM + off * off));
    }

    /** Moves a level along the expected curve, from where it was seen to a place of the grid. */
    private double onGrid(double level, double concurrency, int index, CurvePosterior belief) {
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
      CurvePosterior belief = new CurvePosterior(knowledge);
      after = belief;
      renewed = true;
      int last = largest(seen);
      int here = SizeGrid.nearest(size);
      SizeChoice choice =
          new SizeChoice(belief, SPENT * tolerance, candidates(here, last), enough(seen));
      int best = choice.best();
      if (choice.lossAt(here) - choice.leastLoss() < INERTIA) {
        best = here;
      }
      // Where the size does not bind nothing above it can be learned, and little is amiss.
      int from = Math.max(SizeGrid.atLeast(latitude.floor()), smallest());
      int to = Math.min(SizeGrid.nearest(latitude.ceiling()), seen.telling() ? last : here - 1);
      Experiment experiment =
          Experiment.best(
              choice,
              new Experiment.Conditions(
                  here,
                  from,
                  to,
                  noise.lasting() + Noise.ofCount(seen.completions()),
                  drift.variance(),
                  seen.seconds(),
                  knowledge.seconds(),
                  worthwhile(seen)));
      if (experiment.index() < 0 && best == here && seen.telling()) {
        int far = survey.next(belief, knowledge.evidence(), choice.places(), from, to, here);
        if (far >= 0) {
          survey = survey.visit(SizeGrid.size(far));
          Explanation told = new Explanation(objective, seen.present(), belief, choice.places());
          return Decision.towards(SizeGrid.size(far), news + told.visiting(far))
              .because(told.numbers(far, noise, acceptable(told, seen)));
        }
      }
      restless += experiment.index() < 0 || experiment.index() == here ? 0 : 1;
      int index = experiment.index() < 0 ? best : experiment.index();
      int wanted = index == here && experiment.index() < 0 ? size : SizeGrid.size(index);
      Explanation told = new Explanation(objective, seen.present(), belief, choice.places());
      String reason = told.why(index, here, last, tolerance, experiment, seen, demand);
      return Decision.towards(wanted, news + reason)
          .because(told.numbers(index, noise, acceptable(told, seen)));
    }

    /**
     * Places that come into question up to {@code last}: the coarse part of the grid, sizes that
     * were seen, and the neighbourhood of the best of them.
     */
    private int[] candidates(int here, int last) {
      BitSet places = new BitSet(SizeGrid.COUNT);
      for (int place : SizeGrid.coarse()) {
        places.set(place);
      }
      int best = here;
      double most = Double.NEGATIVE_INFINITY;
      for (Evidence seen : knowledge.evidence()) {
        places.set(seen.index());
        if (seen.weight() > 1 && seen.level() > most) {
          most = seen.level();
          best = seen.index();
        }
      }
      places.set(Math.max(0, best - NEIGHBOURS), best + NEIGHBOURS + 1);
      places.set(here);
      places.set(last);
      places.clear(last + 1, Math.max(last + 1, places.length()));
      return places.stream().toArray();
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

    /**
     * Gain that an experiment must promise, in windows' worth of reward: the more, the more there
     * were lately, except while the work is new.
     */
    private double worthwhile(Reading seen) {
      double least = seen.telling() ? WORTHWHILE : WORTHWHILE_WHEN_FREE;
      return least * (1 + restless * Math.min(1, knowledge.seconds() / NEW_SECONDS));
    }

    /** Place in the grid of the smallest size that an experiment may go to. */
    private int smallest() {
      List<Evidence> seen = knowledge.evidence();
      double least = seen.isEmpty() ? 1 : SizeGrid.size(seen.get(0).index());
      return SizeGrid.atLeast(least / LEAP);
    }

    /** Place in the grid of the largest size that comes into question. */
    private int largest(Reading seen) {
      double useful = demand.useful(seen.telling());
      double leap = slow && !processorsIdle() ? LEAP_WHEN_SLOW : LEAP;
      int tried = SizeGrid.size(Math.max(0, knowledge.reach()));
      int last = Math.min(SizeGrid.atLeast(NEARLY * useful), SizeGrid.atLeast(leap * tried));
      if (guard.careful()) {
        double step = Math.max(CollapseGuard.safe(processors), LEAP_WITH_CARE * seen.size());
        double most = Math.min(guard.ceiling(), step);
        last = Math.min(last, Math.max(0, SizeGrid.atLeast(Math.floor(most) + 1) - 1));
      }
      boolean ample = processorsSaturated() || seen.ample();
      return ample ? Math.min(last, SizeGrid.atLeast(seen.size())) : last;
    }

    /** Whether the processors have little to do, garbage collection included. */
    private boolean processorsIdle() {
      double available = processors * reading.seconds() * 1e9;
      return window.processCpu() >= 0 && window.processCpu() < IDLE * available && share < IDLE;
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
