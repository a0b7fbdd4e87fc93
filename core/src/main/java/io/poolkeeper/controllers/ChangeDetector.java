package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.ArrayList;
import java.util.List;

/**
 * Distinguishes a change of the work from noise: a likelihood ratio test over the moment of change
 * (Page 1954). If the windows since some moment deviate by more than chance allows, and the latest
 * agree, the work has changed at that moment. A fall may be a stall that passes, so it must last
 * longer. Earlier kinds of work are remembered, and recognised when they return.
 *
 * @param recent the latest windows with an expectation, oldest first
 * @param past earlier kinds of work, the latest first
 * @param recentChanges number of changes lately, fading: where they are frequent, noise is the
 *     likelier cause, and the threshold of the next is higher
 * @param passedFalls number of falls lately that passed within seconds, fading
 */
record ChangeDetector(
    List<Residual> recent, List<Epoch> past, double recentChanges, double passedFalls) {

  /**
   * A window compared with its expectation.
   *
   * @param index place in the grid of its size
   * @param level logarithm of its reward
   * @param weight weight as evidence
   * @param seconds its length
   * @param completions that tell a fall from a stall
   * @param surprise level minus the expected level
   * @param deviation the surprise in standard deviations
   * @param familiar whether its size had been in force before
   * @param cost of its tasks
   * @param otherCost whether that cannot be of the same work
   */
  record Residual(
      int index,
      double level,
      double weight,
      double seconds,
      double completions,
      double surprise,
      double deviation,
      boolean familiar,
      TaskCost cost,
      boolean otherCost) {

    /** Returns whether a single window like this is suspect, by its reward or by its cost. */
    boolean suspect() {
      return far() || otherCost;
    }

    /** Returns whether the reward is suspect. */
    boolean far() {
      return Math.abs(deviation) > Tuning.SUSPECT_DEVIATION;
    }

    private boolean isFall() {
      return far() && deviation < 0;
    }

    private boolean goesOnAfterFall() {
      return familiar
          && deviation < -Tuning.DEEP_FALL_DEVIATION
          && surprise < -StrictMath.log(Tuning.SLOWER)
          && completions >= SizeGrid.size(index);
    }

    private double clipped() {
      return Math.max(-Tuning.DEVIATION_CLIP, Math.min(Tuning.DEVIATION_CLIP, deviation));
    }

    private boolean agreesWith(double other) {
      return Math.signum(deviation) == Math.signum(other)
          && Math.abs(deviation) >= Tuning.AGREEMENT * Math.abs(other);
    }
  }

  /**
   * Knowledge of an earlier kind of work.
   *
   * @param knowledge of its curve
   * @param end time at which it ended, seconds
   */
  record Epoch(Knowledge knowledge, double end) {}

  /** Result of the test after a window. */
  enum Verdict {
    EXPECTED,
    SUSPECT,
    CHANGED
  }

  static final ChangeDetector INITIAL = new ChangeDetector(List.of(), List.of(), 0, 0);

  ChangeDetector {
    recent = List.copyOf(recent);
    past = List.copyOf(past);
  }

  /**
   * Returns surprises at new sizes that the next window explains as the sizes' own: it is as
   * expected at a familiar size.
   */
  List<Residual> explainedBy(Residual next) {
    if (!next.familiar() || next.suspect()) {
      return List.of();
    }
    return recent.stream()
        .filter(residual -> !residual.familiar() && residual.suspect())
        .filter(residual -> !next.agreesWith(residual.clipped()))
        .toList();
  }

  /** Adds a window. */
  ChangeDetector plus(Residual next) {
    List<Residual> kept = new ArrayList<>(recent);
    if (!next.suspect()) {
      // Suspect windows with which this one does not agree were a stall, or a size's own.
      kept.removeIf(residual -> residual.suspect() && !next.agreesWith(residual.clipped()));
    }
    kept.add(next);
    int surplus = Math.max(0, kept.size() - Tuning.CHANGE_WINDOWS);
    double fading = StrictMath.exp(-next.seconds() / Tuning.RECENT_CHANGE_SECONDS);
    double fadingFalls = StrictMath.exp(-next.seconds() / Tuning.PASSED_FALL_SECONDS);
    double passed = !next.suspect() && endsWithFall() ? 1 : 0;
    return new ChangeDetector(
        kept.subList(surplus, kept.size()),
        past,
        recentChanges * fading,
        passedFalls * fadingFalls + passed);
  }

  /** Returns whether the two latest windows show a fall: a single one may be noise. */
  private boolean endsWithFall() {
    int size = recent.size();
    return size >= 2 && recent.get(size - 1).isFall() && recent.get(size - 2).isFall();
  }

  /** Returns the trust that another fall passes as well, 0 to 1; two may have by chance. */
  double chanceOfPassing() {
    return Math.max(0, Math.min(1, passedFalls - Tuning.CHANCE_FALLS));
  }

  /** Returns the windows since the likeliest moment of a change; empty if there is none. */
  private List<Residual> deviatingRun() {
    double most =
        Tuning.CHANGE_THRESHOLD
            * (1 + Tuning.CAUTION * Math.min(Tuning.MOST_CAUTION, recentChanges));
    int length = 0;
    double sum = 0;
    for (int j = 1; j <= recent.size(); j++) {
      sum += recent.get(recent.size() - j).clipped();
      double statistic = sum * sum / (j * (1 + Tuning.NEIGHBOUR_LIKENESS * (j - 1)));
      if (statistic > most && latestAgree(j, sum / j)) {
        most = statistic;
        length = j;
      }
    }
    return recent.subList(recent.size() - length, recent.size());
  }

  private boolean latestAgree(int length, double mean) {
    for (int j = 1; j <= Math.min(2, length); j++) {
      if (!recent.get(recent.size() - j).agreesWith(mean)) {
        return false;
      }
    }
    return true;
  }

  /** Tests the windows so far; there must be one. */
  Verdict verdict() {
    if (fellAndGoesOn()) {
      return Verdict.CHANGED;
    }
    List<Residual> run = deviatingRun();
    if (run.isEmpty()) {
      return recent.get(recent.size() - 1).far() ? Verdict.SUSPECT : Verdict.EXPECTED;
    }
    boolean above = run.get(run.size() - 1).deviation() > 0;
    double seconds = 0;
    double completions = 0;
    for (Residual residual : run) {
      seconds += residual.seconds();
      completions += residual.completions();
    }
    if (!above && completions < Tuning.FALL_COMPLETIONS && seconds < Tuning.STALL_SECONDS) {
      return Verdict.SUSPECT;
    }
    long familiar = run.stream().filter(Residual::familiar).count();
    // Nothing has been as expected: the expectation is that of a cold start.
    boolean cold = above && run.size() > 2 && run.size() == recent.size();
    boolean lasts =
        cold
            || (familiar > 1 && (above || seconds >= Tuning.FALL_SECONDS))
            || seconds >= Tuning.LONGEST_DOUBT_SECONDS;
    return lasts ? Verdict.CHANGED : Verdict.SUSPECT;
  }

  /**
   * Returns whether the reward fell deep in the two latest windows, to the same level, while each
   * worker ended a task in each of them: tasks are slower. In a stall hardly any would end.
   */
  private boolean fellAndGoesOn() {
    int size = recent.size();
    if (size < 2) {
      return false;
    }
    Residual before = recent.get(size - 2);
    Residual latest = recent.get(size - 1);
    return before.goesOnAfterFall()
        && latest.goesOnAfterFall()
        && Math.abs(latest.level() - before.level()) < StrictMath.log(Tuning.DEEP_FALL);
  }

  /**
   * Returns whether the latest windows are far from the expectation, and the last of them is what
   * earlier work would do. No time is lost with such a change on telling it from a stall.
   *
   * @param windows number of windows that must be far
   */
  boolean recognises(int windows) {
    if (recent.size() < windows) {
      return false;
    }
    Residual latest = recent.get(recent.size() - 1);
    boolean far =
        recent.subList(recent.size() - windows, recent.size()).stream()
            .allMatch(each -> each.far() && each.agreesWith(latest.clipped()));
    return far && past.stream().anyMatch(epoch -> fits(epoch.knowledge(), List.of(latest)));
  }

  /**
   * Starting point after a change of the work.
   *
   * @param detector a detector without windows
   * @param knowledge that of a recognised earlier kind of work, and the windows since the change
   * @param recognition the earlier kind of work, as long as it is doubtful
   * @param since seconds since that kind of work ended, NaN if none is recognised
   * @param fell whether the reward fell to half or less
   */
  record Restart(
      ChangeDetector detector,
      Knowledge knowledge,
      Recognition recognition,
      double since,
      boolean fell) {}

  /**
   * Puts the present knowledge away and starts with the windows since the change.
   *
   * @param before knowledge of the work before
   * @param now seconds
   */
  Restart restart(Knowledge before, double now) {
    List<Residual> run = windowsSinceChange();
    List<Epoch> kept = new ArrayList<>(past);
    Residual latest = run.get(run.size() - 1);
    boolean fell =
        latest.level() < before.posterior().level(latest.index()).mean() - StrictMath.log(2);
    // The first window of several holds work from before.
    List<Residual> own = run.subList(run.size() > 1 ? 1 : 0, run.size());
    Knowledge knowledge = plus(Knowledge.NONE, own);
    Recognition recognition = Recognition.NONE;
    double since = Double.NaN;
    for (Epoch epoch : past) {
      if (fits(epoch.knowledge(), run)) {
        recognition = new Recognition(latest.index(), latest.level(), knowledge, epoch);
        knowledge = plus(epoch.knowledge(), own);
        since = now - epoch.end();
        kept.remove(epoch);
        break;
      }
    }
    double passed = passedFalls + (since < Tuning.SHORT_FALL_SECONDS ? 1 : 0);
    ChangeDetector empty = new ChangeDetector(List.of(), kept, recentChanges, passed);
    return new Restart(empty.remember(before, now), knowledge, recognition, since, fell);
  }

  private static Knowledge plus(Knowledge knowledge, List<Residual> windows) {
    Knowledge sum = knowledge;
    for (Residual each : windows) {
      sum = sum.with(each.index(), each.weight(), each.level(), each.cost(), each.index());
    }
    return sum;
  }

  /** Returns to the state before a kind of work was recognised by mistake. */
  ChangeDetector withoutRecognition(Epoch mistaken) {
    List<Epoch> kept = new ArrayList<>(past);
    kept.add(Math.min(1, kept.size()), mistaken);
    List<Epoch> latest = kept.subList(0, Math.min(Tuning.REMEMBERED, kept.size()));
    return new ChangeDetector(List.of(), latest, recentChanges, passedFalls);
  }

  private List<Residual> windowsSinceChange() {
    int size = recent.size();
    if (recognises(1)) {
      return recent.subList(size - 1, size);
    }
    List<Residual> run = deviatingRun();
    // Else the cost of a task revealed the change; the window before the last is mixed.
    return run.isEmpty() ? recent.subList(Math.max(0, size - 2), size) : run;
  }

  /** Puts knowledge of a kind of work away, and counts a change. */
  ChangeDetector remember(Knowledge before, double now) {
    List<Epoch> kept = new ArrayList<>(past);
    if (before.weight() > Tuning.WORTH_REMEMBERING) {
      kept.add(0, new Epoch(before, now));
    }
    List<Epoch> latest = kept.subList(0, Math.min(Tuning.REMEMBERED, kept.size()));
    return new ChangeDetector(List.of(), latest, recentChanges + 1, passedFalls);
  }

  /**
   * Returns the place of the size that was in force longest in the latest of the earlier kinds of
   * work that did better there, and may be that of now; -1 if there is none.
   *
   * @param here place in force
   * @param now reward there
   * @param fitting place of the largest size to try if that work would do as much here
   * @param other place of the largest size to try otherwise, for a far better reward
   * @param farBetter times as much that a far better reward is
   * @param cost of a task now
   * @param latest place of the latest return, which comes after all others
   */
  int better(
      int here,
      CurvePosterior.Level now,
      int fitting,
      int other,
      double farBetter,
      TaskCost cost,
      int latest) {
    int found = -1;
    for (Epoch epoch : past) {
      Knowledge knowledge = epoch.knowledge();
      int place = knowledge.mostFamiliar();
      Evidence then = knowledge.at(place);
      if (then == null
          || place == here
          || TaskCost.rulesOut(then.cost().own(), place, cost.own(), here)) {
        continue;
      }
      double gain = then.level() - now.mean();
      boolean far = gain > StrictMath.log(farBetter);
      double vague = far ? Tuning.RETURN_VAGUE : Tuning.VAGUE;
      boolean pays =
          (place <= other && far)
              || (place <= fitting
                  && gain > Tuning.RETURN_LEAST
                  && fits(knowledge, here, now, vague));
      if (pays && costsFit(knowledge, cost, here)) {
        if (place != latest) {
          return place;
        }
        found = place;
      }
    }
    return found;
  }

  /**
   * Returns whether earlier work would do as much at a size as is done now.
   *
   * @param vague variance beyond which an expectation tells nothing
   */
  private static boolean fits(
      Knowledge knowledge, int here, CurvePosterior.Level now, double vague) {
    CurvePosterior.Level then = knowledge.posterior().level(here);
    double variance = now.variance() + then.variance() + Noise.USUAL;
    return Math.max(now.variance(), then.variance()) < vague
        && Math.abs(now.mean() - then.mean()) < Tuning.RECOGNITION * Math.sqrt(variance);
  }

  private static boolean costsFit(Knowledge knowledge, TaskCost cost, int index) {
    return knowledge.ruledOut(cost.own(), index, TaskCost::own) <= Tuning.RULED_OUT
        && knowledge.ruledOut(cost.process(), index, TaskCost::process) <= Tuning.RULED_OUT;
  }

  /** Returns whether windows may be of the work of which something is known. */
  private static boolean fits(Knowledge knowledge, List<Residual> run) {
    Residual latest = run.get(run.size() - 1);
    if (!costsFit(knowledge, latest.cost(), latest.index())) {
      return false;
    }
    CurvePosterior posterior = knowledge.posterior();
    double sum = 0;
    for (Residual residual : run) {
      CurvePosterior.Level expected = posterior.level(residual.index());
      if (expected.variance() > Tuning.VAGUE) {
        return false;
      }
      // A window with less weight varies more.
      double noise = Noise.USUAL / Math.max(0.01, residual.weight());
      sum += (residual.level() - expected.mean()) / Math.sqrt(expected.variance() + noise);
    }
    return Math.abs(sum) < Tuning.RECOGNITION * Math.sqrt(run.size());
  }
}
