package io.poolkeeper.controllers;

import static io.poolkeeper.controllers.Explanation.say;

import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.ResponseCurveController.State;
import io.poolkeeper.controllers.Watch.Restart;
import io.poolkeeper.controllers.Watch.Verdict;
import org.jspecify.annotations.Nullable;

/** The way of one window through the {@link ResponseCurveController}: from a state to the next. */
final class Turn {

  /** A size is left only for one whose expected loss is smaller by this fraction of the reward. */
  private static final double INERTIA = 0.015;

  /** Nothing ends, all are busy, tasks wait: after so many seconds more workers may free them. */
  private static final double HANG_SECONDS = 5;

  /** Of the tolerance so much is used; the rest is for what is not known. */
  private static final double SPENT = 0.7;

  /** What an experiment must promise, in windows' worth of reward; where the size does not bind. */
  private static final double WORTHWHILE = 0.2;

  private static final double WORTHWHILE_WHEN_FREE = 1;

  /** From this utilisation on the size was in force, whether tasks waited or not. */
  private static final double FULL = 0.95;

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

  /** Windows on the way down to a smaller size that hold too much of what was before. */
  private static final int BLIND_WHILE_DRAINING = 2;

  /** Standard deviation of what a window on the way down says of the size that it passes. */
  private static final double DRAINING_BLUR = 0.45;

  /** Experiments count as recent for so many seconds. */
  private static final double RESTLESS_SECONDS = 10;

  /** Work is new for so many seconds. */
  private static final double NEW_SECONDS = 20;

  /**
   * Seconds that a window ages what is known by at most. In a longer one the process has stood
   * still, or its clock has jumped; one of days would otherwise put all that was known in doubt,
   * and what is learned next beyond doubt, since it would count as what has held for days.
   */
  private static final double LONGEST = 600;

  /** What does not change. See {@link ResponseCurveController}. */
  record Settings(Objective objective, double tolerance, int processors) {}

  /**
   * A fall to a smaller size before the window was closed.
   *
   * @param from size that was left, 0 for none
   * @param share of the time in garbage collection for which it was left
   */
  record Relief(int from, double share) {

    static final Relief NONE = new Relief(0, 0);
  }

  private final Settings settings;
  private final State state;
  private final Relief relief;
  private final Reading reading;
  private final double now;
  private Knowledge knowledge;
  private Noise noise;
  private Drift drift;
  private Demand demand;
  private Watch watch;
  private Gathering gathering;
  private final Latitude latitude;
  private final double share;
  private final Processors processors;
  private CollapseGuard guard;
  private final Cost cost;
  private int odd;
  private Settled settled;
  private Survey survey;
  private double restless;
  private boolean slow;
  private boolean renewed;
  private String news = "";
  private @Nullable CurvePosterior after;

  /**
   * @param belief that follows from the state, null if it was not worked out
   * @param relief a fall between this window and the one before
   */
  Turn(
      Settings settings,
      State state,
      @Nullable CurvePosterior belief,
      Relief relief,
      Window window,
      Reading reading) {
    this.settings = settings;
    this.state = state;
    this.after = belief;
    this.relief = relief;
    this.reading = reading;
    this.now = state.now() + reading.seconds();
    double elapsed = aging(reading);
    this.knowledge = state.knowledge();
    this.noise = state.noise();
    this.drift = state.drift().after(elapsed, state.knowledge().seconds());
    this.demand = state.demand().with(reading);
    this.watch = state.watch();
    this.gathering = state.gathering().with(reading);
    this.latitude = state.latitude().seen(reading.size());
    this.share = Math.max(0, Math.min(1, window.gc() / 1e9 / reading.seconds()));
    this.processors = new Processors(settings.processors(), window, reading, share);
    this.guard = state.guard();
    this.cost = Cost.of(window);
    this.odd = state.odd();
    this.settled = state.settled();
    this.survey = state.survey().after(reading.size(), reading.shrinking(), elapsed);
    this.restless = state.restless() * StrictMath.exp(-elapsed / RESTLESS_SECONDS);
  }

  State next(int asked) {
    if (settled.decision() == null && state.settled().decision() != null && !renewed) {
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
        reading.shrinking() ? state.draining() + 1 : 0);
  }

  Decision decide() {
    int size = reading.size();
    int from = Math.max(size, relief.from());
    double collecting = Math.min(1, Math.max(share, relief.share()));
    int relieved = from > size ? size : guard.relieved(size, share, settings.processors());
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
      boolean standing = state.settled().decision() != null;
      known = new CurvePosterior(standing ? state.settled().judged() : knowledge);
      after = known;
    }
    return known;
  }

  /** Falls to a smaller size, without waiting for what it does to the reward. */
  private Decision relieve(int size, int relieved, double collecting) {
    settled = Settled.NONE;
    boolean wasFine = knowledge.knows(SizeGrid.nearest(size));
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
   * Waits for workers that are busy beyond the size. A long way down shows the curve on its way, at
   * the number of those that are still busy.
   */
  private Decision shrink(int size) {
    noise = noise.skipped();
    if (state.draining() < BLIND_WHILE_DRAINING || guard.careful()) {
      gathering = Gathering.NONE;
    } else if (gathering.enough()) {
      Reading seen = gathering.reading();
      gathering = Gathering.NONE;
      settled = Settled.NONE;
      int index = SizeGrid.nearestCoarse(seen.busy());
      double level = belief().moved(StrictMath.log(seen.rate()), seen.busy(), index);
      double weight = noise.weight(Noise.ofCount(seen.completions()), DRAINING_BLUR, 0);
      knowledge = knowledge.after(aging(seen)).with(index, weight, level, index);
      Decision chosen = survey.visiting() == size ? null : choose(seen);
      if (chosen != null && chosen.size() > size) {
        return chosen;
      }
    }
    return Decision.towards(
        size, say("%.1f workers still busy on the way down to %d", reading.busy(), size));
  }

  /** Whether this size is so bad, or has become so, that its first completions say so. */
  private boolean collapsed() {
    CurvePosterior known = belief();
    int here = SizeGrid.nearest(reading.size());
    if (knowledge.knows(here) && gathering.fell(StrictMath.exp(known.level(here).mean()))) {
      return true;
    }
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
    int rest = CollapseGuard.safe(settings.processors());
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
            && processors.idle()
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

  /** Takes a few completions for a rough estimate; even none says that there are not many. */
  private void learnLittle(int size) {
    double completions = gathering.completions() + 0.5;
    double level = StrictMath.log(completions / gathering.seconds());
    double weight = noise.weight(Noise.ofCount(completions), 0, 0);
    int index = SizeGrid.nearest(size);
    knowledge = knowledge.after(gathering.seconds()).with(index, weight, level, index);
    after = null;
  }

  /**
   * What was gathered, beside what was expected.
   *
   * @param index place in the grid of the size at which it was seen
   * @param level logarithm of the reward
   * @param expected of that place
   * @param countNoise variance because of the number of completions
   * @param variance because of noise in all
   * @param surprise by how much the level is above what was expected
   * @param blur standard deviation because the concurrency was not constant
   */
  private record Sighting(
      Reading seen,
      int index,
      double level,
      CurvePosterior.Level expected,
      double countNoise,
      double variance,
      double surprise,
      double blur) {}

  /** Learns from what was gathered: looks for a change of the work, updates, chooses. */
  private Decision learn(Reading seen) {
    CurvePosterior before = belief();
    Sighting sighting = sight(seen, before);
    settled = Settled.NONE;
    double off = 0;
    if (before.informed()) {
      double known =
          sighting.expected().variance()
              + drift.variance()
              + sighting.blur() * sighting.blur()
              + ShapePosterior.MISFIT * ShapePosterior.MISFIT;
      boolean familiar = knowledge.knows(sighting.index()) || guard.surprising();
      off = deviation(sighting, before, known, familiar);
      Verdict verdict = watch(sighting, off, familiar);
      if (verdict == Verdict.SUSPECT) {
        return suspect(sighting, before, familiar || off > 0);
      }
      if (verdict == Verdict.CHANGED) {
        return beginAnew(seen);
      }
      guard = knowledge.knows(sighting.index()) ? guard.asExpected() : guard;
      if (seen.telling()) {
        noise =
            noise.surprised(sighting.index(), sighting.surprise(), known, sighting.countNoise());
      }
    }
    update(sighting, before.informed(), off);
    Decision standing = settled.decision();
    if (standing != null && seen.telling()) {
      return standing;
    }
    Decision chosen = choose(seen);
    if (chosen.size() == seen.size() && seen.telling()) {
      double weight = noise.weight(sighting.countNoise(), sighting.blur(), 0);
      settled = Settled.after(chosen, knowledge, knowledge.weightAt(sighting.index()) / weight);
    }
    return chosen;
  }

  private Sighting sight(Reading seen, CurvePosterior before) {
    double countNoise = Noise.ofCount(seen.completions());
    int index =
        seen.telling() || seen.utilisation() > FULL
            ? SizeGrid.nearest(seen.concurrency())
            : SizeGrid.nearestCoarse(seen.concurrency());
    double level = before.moved(StrictMath.log(seen.rate()), seen.concurrency(), index);
    CurvePosterior.Level expected = before.level(index);
    return new Sighting(
        seen,
        index,
        level,
        expected,
        countNoise,
        noise.single() + countNoise,
        level - expected.mean() - state.settled().moved(),
        seen.blur(state.latitude().size()));
  }

  /**
   * Standard deviations by which the reward is above what was expected, as evidence of other work.
   *
   * @param known variance of what was expected
   * @param familiar whether the size was in force before
   */
  private double deviation(
      Sighting sighting, CurvePosterior before, double known, boolean familiar) {
    double off = sighting.surprise() / Math.sqrt(sighting.variance() + known);
    if (familiar) {
      return off;
    }
    // At a size that was not in force before a surprise is the size's own, unless other work is
    // the likelier cause.
    double level = sighting.level() - state.settled().moved();
    if (before.density(sighting.index(), level, sighting.variance()) > OTHER_WORK) {
      return 0;
    }
    return Math.abs(off) < FAR_OFF ? Math.copySign(FAR_OFF, off) : off;
  }

  /** Looks for a change of the work, by the reward and by what tasks cost. */
  private Verdict watch(Sighting sighting, double off, boolean familiar) {
    double counts = noise.weight(sighting.countNoise(), sighting.blur(), 0);
    Watch.Sight sight =
        new Watch.Sight(
            sighting.index(),
            sighting.level(),
            counts,
            sighting.seen().seconds(),
            off,
            familiar,
            cost);
    for (Watch.Sight own : watch.explained(sight)) {
      after = null;
      knowledge = knowledge.with(own.index(), own.weight(), own.level(), own.index());
    }
    watch = watch.with(sight);
    odd = costsOther(sighting.index(), off) ? odd + 1 : 0;
    if (odd == 0) {
      return watch.verdict();
    }
    return odd < LASTING ? Verdict.SUSPECT : Verdict.CHANGED;
  }

  /**
   * Waits for another window to tell a stall from other work.
   *
   * @param stays whether it does so at the size in force, and not at one that is known
   */
  private Decision suspect(Sighting sighting, CurvePosterior before, boolean stays) {
    Reading seen = sighting.seen();
    noise = noise.skipped();
    Explanation told =
        new Explanation(settings.objective(), seen.present(), before, SizeGrid.coarse());
    int look = stays ? seen.size() : SizeGrid.size(knowledge.mostFamiliar());
    return Decision.towards(
            look,
            say(
                "%s is far from the expected %s: a stall that passes, or other work?%s",
                told.at(sighting.level()),
                told.expected(sighting.index()),
                look == seen.size() ? "" : say(" A look at %d, which is known, will tell", look)))
        .because(told.numbers(sighting.index(), noise, acceptable(told, seen)));
  }

  /** Puts what is known of the work before away, and goes on with what fits the work now. */
  private Decision beginAnew(Reading seen) {
    Restart restart = watch.changed(knowledge, now);
    watch = restart.watch();
    knowledge = restart.knowledge();
    noise = noise.skipped();
    drift = Drift.NONE;
    odd = 0;
    survey = Survey.NONE;
    guard = guard.withOtherWork();
    after = null;
    boolean unknown = Double.isNaN(restart.since());
    news =
        unknown ? "other work than before; " : say("work as it was %.0f s ago; ", restart.since());
    int safe = CollapseGuard.safe(settings.processors());
    if (restart.fell() && unknown && seen.size() > 2 * safe) {
      return Decision.towards(
          safe,
          say(
              "%sthe throughput fell by half or more at %d: to %d, a safe size",
              news, seen.size(), safe));
    }
    return choose(seen);
  }

  /** Adds what was seen to what is known: of the noise, of the level of all sizes, of this size. */
  private void update(Sighting sighting, boolean informed, double off) {
    Reading seen = sighting.seen();
    int index = sighting.index();
    double blur = sighting.blur();
    noise =
        seen.telling()
            ? noise.with(index, sighting.level(), sighting.countNoise())
            : noise.skipped();
    double weight = noise.weight(sighting.countNoise(), blur, off);
    double shift = 0;
    if (informed) {
      double unsteady = drift.variance();
      double doubt = CurvePosterior.CORRELATION * sighting.variance() + blur * blur;
      // A surprise after a change of size is evidence about the size, not about all of them.
      if (index == state.noise().lastIndex()) {
        drift = drift.seen(sighting.surprise(), sighting.expected().variance() + doubt);
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
            .with(index, weight, sighting.level(), cost, SizeGrid.nearest(seen.size()));
    settled = state.settled().next(seen.size(), off, shift);
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
    return aging(reading.seconds());
  }

  /** Seconds by which time without a window ages what is known. */
  static double aging(double seconds) {
    return Math.min(LONGEST, seconds);
  }

  private Decision choose(Reading seen) {
    int size = seen.size();
    CurvePosterior belief = new CurvePosterior(knowledge);
    after = belief;
    renewed = true;
    Reach reach = reach();
    int last = reach.largest(seen);
    int here = SizeGrid.nearest(size);
    SizeChoice choice =
        new SizeChoice(
            belief, SPENT * settings.tolerance(), reach.candidates(here, last), enough(seen));
    int best = choice.best();
    if (choice.lossAt(here) - choice.leastLoss() < INERTIA) {
      best = here;
    }
    // Where the size does not bind nothing above it can be learned, and little is amiss.
    int from = Math.max(SizeGrid.atLeast(latitude.floor()), reach.smallest());
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
      int far = survey.next(belief, knowledge, choice.places(), from, to, here);
      if (far >= 0) {
        survey = survey.visit(SizeGrid.size(far));
        Explanation told =
            new Explanation(settings.objective(), seen.present(), belief, choice.places());
        return Decision.towards(SizeGrid.size(far), news + told.visiting(far))
            .because(told.numbers(far, noise, acceptable(told, seen)));
      }
    }
    restless += experiment.index() < 0 || experiment.index() == here ? 0 : 1;
    int index = experiment.index() < 0 ? best : experiment.index();
    int wanted = index == here && experiment.index() < 0 ? size : SizeGrid.size(index);
    Explanation told =
        new Explanation(settings.objective(), seen.present(), belief, choice.places());
    String reason = told.why(index, here, last, settings.tolerance(), experiment, seen, demand);
    return Decision.towards(wanted, news + reason)
        .because(told.numbers(index, noise, acceptable(told, seen)));
  }

  private Reach reach() {
    return new Reach(knowledge, demand, guard, processors, slow);
  }

  /** The belief that follows from the state from now on; null if it was not worked out. */
  @Nullable CurvePosterior after() {
    return after;
  }

  /** Reward per second beyond which more is of no use; infinite where the size binds. */
  private double enough(Reading seen) {
    return seen.telling()
        ? Double.POSITIVE_INFINITY
        : demand.enough(seen.busy()) * seen.rate() * seen.seconds() / seen.completions();
  }

  private double acceptable(Explanation told, Reading seen) {
    return told.acceptable(reach().largest(seen), settings.tolerance(), enough(seen));
  }

  /**
   * Gain that an experiment must promise, in windows' worth of reward: the more, the more there
   * were lately, except while the work is new.
   */
  private double worthwhile(Reading seen) {
    double least = seen.telling() ? WORTHWHILE : WORTHWHILE_WHEN_FREE;
    return least * (1 + restless * Math.min(1, knowledge.seconds() / NEW_SECONDS));
  }
}
