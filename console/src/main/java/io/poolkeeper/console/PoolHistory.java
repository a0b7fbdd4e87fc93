package io.poolkeeper.console;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Window;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a pool, bounded: its last windows one by one, a week in points of five minutes, the
 * last decisions that changed something or failed, and the curve that was learned last.
 */
final class PoolHistory {

  private static final int LARGEST_RECENT = 1_200;
  private static final long MILLIS_A_BIN = 300_000;
  private static final int LARGEST_BINS = 7 * 24 * 12;
  private static final int LARGEST_DECISIONS = 2_000;
  private static final int LARGEST_STEPS = 20;

  /**
   * A decision of any kind with all that is behind it.
   *
   * @param at milliseconds since 1970
   */
  record DatedStep(long at, Step step) {}

  /**
   * A decision of the pool.
   *
   * @param at milliseconds since 1970
   * @param wanted size that was asked for, null if the controller threw
   * @param use of connections, of a pool that follows another one; null for others
   */
  record Decided(
      long number,
      long at,
      String action,
      String mode,
      int before,
      int after,
      @Nullable Integer wanted,
      String reason,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ConnectionUse use) {}

  /**
   * Windows and decisions after some that are known.
   *
   * @param decisions those that changed something or failed
   * @param windowsSeen number of windows ever
   * @param decisionsSeen number of decisions ever
   */
  record News(
      List<Point> windows,
      List<Decided> decisions,
      List<CurvePoint> curve,
      long windowsSeen,
      long decisionsSeen) {

    static final News NONE = new News(List.of(), List.of(), List.of(), 0, 0);
  }

  private final Deque<Point> recent = new ArrayDeque<>();
  private final Deque<Point> bins = new ArrayDeque<>();
  private final Deque<Decided> decisions = new ArrayDeque<>();
  private final Deque<DatedStep> steps = new ArrayDeque<>();
  private List<CurvePoint> curve = List.of();
  private @Nullable Decided last;
  private long windows;
  private long decided;

  synchronized void add(long now, Window window) {
    recent.addLast(Point.of(now, window));
    windows++;
    if (recent.size() > LARGEST_RECENT) {
      bin(recent.removeFirst());
    }
  }

  private void bin(Point point) {
    Point newest = bins.peekLast();
    if (newest != null && newest.at() / MILLIS_A_BIN == point.at() / MILLIS_A_BIN) {
      bins.removeLast();
      bins.addLast(newest.and(point));
    } else {
      bins.addLast(point);
      if (bins.size() > LARGEST_BINS) {
        bins.removeFirst();
      }
    }
  }

  synchronized void add(long now, Step step) {
    steps.addFirst(new DatedStep(now, step));
    if (steps.size() > LARGEST_STEPS) {
      steps.removeLast();
    }
    Integer wanted = step.decision() == null ? null : step.decision().size();
    last =
        new Decided(
            ++decided,
            now,
            step.action().toString(),
            step.mode().toString(),
            step.before(),
            step.after(),
            wanted,
            step.explanation(),
            step.decision() == null ? null : ConnectionUse.of(step.decision().numbers()));
    boolean other = wanted != null && wanted != step.before();
    if (step.action() != Action.KEPT && (step.action() != Action.RECORDED || other)) {
      decisions.addLast(last);
      if (decisions.size() > LARGEST_DECISIONS) {
        decisions.removeFirst();
      }
    }
    if (step.decision() != null) {
      List<CurvePoint> learned = CurvePoint.of(step.decision().numbers());
      if (!learned.isEmpty()) {
        curve = learned;
      }
    }
  }

  /** Points of five minutes, of what is not among the recent windows any more. */
  synchronized List<Point> bins() {
    return List.copyOf(bins);
  }

  /**
   * Windows and decisions after the first {@code windowsSeen} windows and {@code decisionsSeen}
   * decisions.
   */
  synchronized News news(long windowsSeen, long decisionsSeen) {
    long skipped = Math.max(0, recent.size() - (windows - windowsSeen));
    return new News(
        recent.stream().skip(skipped).toList(),
        decisions.stream().filter(decision -> decision.number() > decisionsSeen).toList(),
        curve,
        windows,
        decided);
  }

  synchronized @Nullable Point newest() {
    return recent.peekLast();
  }

  /** The last decisions, those that changed nothing among them, the newest first. */
  synchronized List<DatedStep> lastSteps() {
    return List.copyOf(steps);
  }

  synchronized @Nullable Decided last() {
    return last;
  }
}
