package io.poolkeeper.console;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.Window;
import io.poolkeeper.record.PoolDecision;
import io.poolkeeper.record.PoolSetup;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pool of a run record, in as many points as a page can show. All times are milliseconds since
 * the start of the measured part of the run; below 0 is the warm-up.
 *
 * @param name of the pool; where several runs are shown, of the run as well
 * @param run facts about the run
 * @param controller name of the controller; null where the record does not tell
 * @param bounds sizes that it might have; null where the record does not tell
 * @param objective value that was optimised; null where the record does not tell
 * @param windows points in order of time; neighbours are joined where there are too many
 * @param decisions those that changed something, were refused or failed
 * @param states what each decision left behind, with its reason; some are left out where there are
 *     too many
 * @param curves what was learned, each from its time on; some are left out where there are too many
 * @param windowsRecorded number of windows in the record
 * @param decisionsOmitted number of decisions that changed something and are left out
 */
record RecordedPool(
    String name,
    RecordedRun run,
    @Nullable String controller,
    @Nullable Bounds bounds,
    @Nullable ObjectiveView objective,
    List<Point> windows,
    List<PoolHistory.Decided> decisions,
    List<PoolHistory.Decided> states,
    List<DatedCurve> curves,
    int windowsRecorded,
    int decisionsOmitted) {

  static final int LARGEST_WINDOWS = 3_000;
  static final int LARGEST_DECISIONS = 2_000;
  static final int LARGEST_CURVES = 300;

  /**
   * A curve and the time at which it was learned.
   *
   * @param at milliseconds since the start
   */
  record DatedCurve(long at, List<CurvePoint> points) {}

  /** Joins neighbours until there are no more points than can be shown. */
  static List<Point> points(RecordedRun run, List<Window> windows) {
    int together = (windows.size() + LARGEST_WINDOWS - 1) / LARGEST_WINDOWS;
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < windows.size(); i++) {
      Point point = Point.of(run.millis(windows.get(i).end()), windows.get(i));
      if (i % together == 0) {
        points.add(point);
      } else {
        points.set(points.size() - 1, points.get(points.size() - 1).and(point));
      }
    }
    return points;
  }

  /** Makes the pool of a name from all of its windows and decisions. */
  static RecordedPool of(
      String name,
      RecordedRun run,
      @Nullable String controller,
      @Nullable PoolSetup setup,
      List<Window> windows,
      List<PoolDecision> decisions) {
    List<PoolHistory.Decided> states = new ArrayList<>();
    List<PoolHistory.Decided> changes = new ArrayList<>();
    List<DatedCurve> curves = new ArrayList<>();
    for (PoolDecision decision : decisions) {
      long at = run.millis(decision.at());
      PoolHistory.Decided state =
          new PoolHistory.Decided(
              states.size() + 1,
              at,
              decision.action().toString(),
              decision.mode().toString(),
              decision.before(),
              decision.after(),
              decision.asked(),
              decision.reason(),
              ConnectionUse.of(decision.numbers()));
      states.add(state);
      if (changes(decision)) {
        changes.add(state);
      }
      List<CurvePoint> curve = CurvePoint.of(decision.numbers());
      if (curve.size() > 1) {
        curves.add(new DatedCurve(at, curve));
      }
    }
    int omitted = Math.max(0, changes.size() - LARGEST_DECISIONS);
    return new RecordedPool(
        name,
        run,
        controller,
        setup == null ? null : setup.bounds(),
        setup == null ? null : ObjectiveView.of(setup.objective()),
        points(run, windows),
        List.copyOf(changes.subList(omitted, changes.size())),
        thin(states, LARGEST_DECISIONS),
        thin(curves, LARGEST_CURVES),
        windows.size(),
        omitted);
  }

  private static boolean changes(PoolDecision decision) {
    boolean other = decision.asked() != null && decision.asked() != decision.before();
    return decision.action() != Action.KEPT && (decision.action() != Action.RECORDED || other);
  }

  /** Leaves out elements at equal distances; the first and the last stay. */
  static <T> List<T> thin(List<T> all, int largest) {
    if (all.size() <= largest) {
      return List.copyOf(all);
    }
    List<T> kept = new ArrayList<>(largest);
    for (int i = 0; i < largest; i++) {
      kept.add(all.get((int) ((long) i * (all.size() - 1) / (largest - 1))));
    }
    return kept;
  }

  /** First time that the pool has something to show. */
  long from() {
    long ofWindows =
        windows.isEmpty()
            ? Long.MAX_VALUE
            : windows.get(0).at() - Math.round(windows.get(0).seconds() * 1000);
    return Math.min(ofWindows, states.isEmpty() ? Long.MAX_VALUE : states.get(0).at());
  }

  /** Last time that the pool has something to show. */
  long to() {
    long ofWindows = windows.isEmpty() ? Long.MIN_VALUE : windows.get(windows.size() - 1).at();
    return Math.max(
        ofWindows, states.isEmpty() ? Long.MIN_VALUE : states.get(states.size() - 1).at());
  }

  /** Means over the whole record; null without windows. */
  @Nullable Point whole() {
    return windows.stream().reduce(Point::and).orElse(null);
  }
}
