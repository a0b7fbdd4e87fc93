package io.poolkeeper.controllers;

import static io.poolkeeper.controllers.Explanation.format;

import io.poolkeeper.Decision;
import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.Optional;

/**
 * The first step: observe. Decides at once where nothing can be learned from the window: the heap
 * fills up, the pool is idle or still shrinking, or too few tasks have ended.
 */
final class ObserveStep {

  private final Draft draft;
  private final Observation window;
  private final int size;

  ObserveStep(Draft draft) {
    this.draft = draft;
    this.window = draft.window;
    this.size = draft.window.size();
  }

  /** Returns a decision, or empty if the gathered windows are informative. */
  Optional<Decision> decide() {
    int before = Math.max(size, draft.reduction.size());
    int processors = draft.settings.processors();
    int reduced =
        before > size ? size : draft.guard.reducedSize(size, draft.collecting, processors);
    if (reduced < before) {
      return Optional.of(reduce(before, reduced));
    }
    if (draft.guard.falseAlarm(window.busy(), draft.collecting)) {
      return Optional.of(takeBack());
    }
    draft.guard = draft.guard.afterWindow(size, draft.collecting, window.seconds());
    if (window.filling() || begins()) {
      return Optional.of(fill());
    }
    if (window.ended() == 0 && window.inSystem() < 1) {
      return Optional.of(idle());
    }
    if (window.shrinking()) {
      return Optional.of(shrink());
    }
    if (!draft.accumulator.complete() && !hasCollapsed()) {
      return Optional.of(gather());
    }
    Observation gathered = draft.accumulator.observation();
    if (gathered.ofEarlierWork() && !gathered.atCapacity()) {
      return Optional.of(empty());
    }
    return Optional.empty();
  }

  /** Reduces the size at once, without waiting for the effect on the reward. */
  private Decision reduce(int before, int reduced) {
    double collecting = Math.min(1, Math.max(draft.collecting, draft.reduction.collecting()));
    draft.standing = StandingDecision.NONE;
    boolean wasFine = draft.knowledge.isFamiliar(SizeGrid.nearest(before));
    boolean again = draft.guard.surprising();
    int largest = (int) Math.max(before, window.busy());
    draft.guard = draft.guard.afterReduction(largest, reduced, collecting, wasFine);
    if (again) {
      // More than a long pause, at sizes that had been fine.
      draft.detector = draft.detector.remember(draft.knowledge, draft.now);
      draft.knowledge = Knowledge.NONE;
      draft.recognition = Recognition.NONE;
      draft.drift = Drift.NONE;
      draft.dropPosterior();
      draft.guard = draft.guard.withoutSurprise();
    }
    draft.noise = draft.noise.skipped();
    draft.accumulator = WindowAccumulator.EMPTY;
    String cause =
        draft.reduction.sudden()
            ? "tasks suddenly allocated so much that the heap would have been full within a"
                + " second"
            : format("garbage collection took %.0f %% of the time", 100 * collecting);
    return Decision.towards(
        reduced,
        format(
            "%s with %.0f busy workers; %d workers are to keep the heap from filling up",
            cause, window.busy(), reduced));
  }

  /** Takes a reduction back: garbage collection ended before any workers did. */
  private Decision takeBack() {
    int back = (int) Math.min(draft.guard.collapsed(), Integer.MAX_VALUE / 8.0);
    draft.guard = draft.guard.afterFalseAlarm();
    draft.noise = draft.noise.skipped();
    return Decision.towards(
        back,
        format(
            "the collector only paused: %.0f workers are still busy, and next to no time went into"
                + " garbage collection; back to %d",
            window.busy(), back));
  }

  private Decision idle() {
    draft.standing = StandingDecision.NONE;
    draft.demand = Demand.NONE;
    draft.noise = draft.noise.skipped();
    draft.accumulator = WindowAccumulator.EMPTY;
    // Few enough to cost nothing, and enough for the first of the next tasks. A pool that grows
    // slowly would not be back in time.
    int rest = CollapseGuard.safe(draft.settings.processors());
    int least = Math.max(1, size);
    boolean stays = least <= rest || !draft.limits.growsAtOnce();
    return Decision.towards(
        stays ? least : Math.max(rest, least / 2), "idle: no task runs, waits or has ended");
  }

  /** Returns whether more tasks than workers came to an idle pool, and none has ended yet. */
  private boolean begins() {
    return window.ended() == 0 && window.left() > size && draft.before.demand().equals(Demand.NONE);
  }

  /** Leaves a window out that tells nothing. */
  private void skip() {
    draft.standing = StandingDecision.NONE;
    draft.noise = draft.noise.skipped();
    draft.accumulator = draft.accumulator.emptied();
  }

  /** Chooses by what is known, since the window tells nothing. */
  private Decision fill() {
    skip();
    draft.demand = draft.demand.ofAtLeast(window.left());
    return new ChooseStep(draft).fill();
  }

  /**
   * Waits for workers that are busy beyond the size. A long way down shows the curve at the numbers
   * of workers that are still busy.
   */
  private Decision shrink() {
    draft.noise = draft.noise.skipped();
    boolean mixed = draft.before.drainingWindows() < Tuning.MIXED_DRAINING_WINDOWS;
    boolean doubtful =
        draft.descent.underWay() && draft.before.drainingWindows() < Tuning.DOUBTFUL_WINDOWS;
    draft.descent = mixed ? draft.descent : draft.descent.with(window);
    if (mixed || doubtful || draft.guard.limiting()) {
      draft.accumulator = draft.accumulator.emptied();
    } else if (draft.accumulator.hasEnoughCompletions()) {
      Observation gathered = draft.accumulator.observation();
      draft.accumulator = WindowAccumulator.EMPTY;
      draft.standing = StandingDecision.NONE;
      learnFromDraining(gathered);
      if (draft.exploration.visiting() != size) {
        Exploration before = draft.exploration;
        Decision chosen = new ChooseStep(draft).choose(gathered);
        if (chosen.size() > size) {
          return chosen;
        }
        draft.exploration = before;
      }
    }
    return Decision.towards(
        size, format("%.1f workers are still busy on the way down to %d", window.busy(), size));
  }

  private void learnFromDraining(Observation gathered) {
    draft.knowledge =
        draft
            .knowledge
            .aged(Draft.aging(gathered.seconds()))
            .withDraining(gathered, draft.posteriorBefore(), draft.noise);
  }

  /** Waits for the effect of the tasks that are left. */
  private Decision empty() {
    skip();
    return Decision.towards(
        size,
        format(
            "%.0f tasks ended on which workers had spent more time before; the next window tells"
                + " what %.1f busy workers do",
            window.ended(), window.busy()));
  }

  /** Returns whether the first completions show that the size is bad, or has become bad. */
  private boolean hasCollapsed() {
    CurvePosterior posterior = draft.posteriorBefore();
    int here = SizeGrid.nearest(size);
    double expected = posterior.level(here).mean();
    if (draft.knowledge.isFamiliar(here)
        && draft.accumulator.hasFallenFrom(StrictMath.exp(expected))) {
      return true;
    }
    double best = Double.NEGATIVE_INFINITY;
    for (Evidence entry : draft.knowledge.evidence()) {
      best = Math.max(best, posterior.level(entry.index()).mean());
    }
    return draft.accumulator.isWorseThan(StrictMath.exp(best));
  }

  /** Gathers another window, with more workers where these are the only way to completions. */
  private Decision gather() {
    WindowAccumulator gathered = draft.accumulator;
    Standstill standstill = new Standstill(draft);
    boolean full = window.utilisation() > Tuning.FULL;
    boolean blind =
        gathered.seconds() >= Tuning.SPARSE_SECONDS
            && gathered.completions() < Tuning.SPARSE_COMPLETIONS
            && full
            && window.waiting() >= size
            && draft.load.idle()
            && draft.knowledge.largestTried() <= SizeGrid.nearest(size)
            && size < draft.guard.ceiling()
            && !standstill.stalls();
    if (blind) {
      draft.standing = StandingDecision.NONE;
      learnFromFew();
      return Decision.towards(
          (int) Math.min(2.0 * size, draft.guard.ceiling()),
          format(
              "only %.0f tasks completed in %.1f s, %.0f tasks wait and the processors idle; more"
                  + " workers are to show more",
              gathered.completions(), gathered.seconds(), window.waiting()));
    }
    Optional<Decision> standing = standstill.decide();
    if (standing.isPresent()) {
      return standing.get();
    }
    return Decision.towards(
        size,
        format(
            "only %.0f tasks completed in %.1f s at this size, too few to learn from",
            gathered.completions(), gathered.seconds()));
  }

  /** Takes a few completions for a rough estimate; even none shows that there are not many. */
  private void learnFromFew() {
    double seconds = draft.accumulator.seconds();
    double completions = draft.accumulator.completions() + 0.5;
    double level = StrictMath.log(draft.accumulator.roughRate());
    double weight = draft.noise.weight(Noise.ofCount(completions), 0, 0);
    int index = SizeGrid.nearest(size);
    draft.knowledge = draft.knowledge.aged(seconds).with(index, weight, level, index);
    draft.dropPosterior();
  }
}
