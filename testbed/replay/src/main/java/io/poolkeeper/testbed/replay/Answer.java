package io.poolkeeper.testbed.replay;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.record.PoolDecision;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answer of a replay about a window.
 *
 * @param window the window, and what was decided on it
 * @param decision what is decided on it now
 */
record Answer(RecordedWindow window, PoolDecision decision) {

  /**
   * Whether it is what was recorded, to the last bit. Where a resize had failed that was the pool,
   * which is not there any more: then what the controller asked for has to be the same.
   */
  boolean same() {
    PoolDecision recorded = window.recorded();
    if (recorded == null
        || !asksTheSame(recorded)
        || !decision.numbers().equals(recorded.numbers())) {
      return false;
    }
    boolean resizeFailed = recorded.action() == Action.FAILED && recorded.asked() != null;
    return resizeFailed
        || (decision.action() == recorded.action()
            && decision.after() == recorded.after()
            && decision.reason().equals(recorded.reason()));
  }

  private boolean asksTheSame(PoolDecision recorded) {
    return decision.asked() == null
        ? recorded.asked() == null
        : decision.asked().equals(recorded.asked());
  }

  /** Whether the size that it would have brought is the recorded one's. */
  boolean sameSize(Bounds bounds) {
    PoolDecision recorded = window.recorded();
    return recorded != null && size(decision, bounds) == size(recorded, bounds);
  }

  /** The size that a decision asks for, as near as the pool may come to it. */
  static int size(PoolDecision decision, Bounds bounds) {
    return decision.asked() == null || decision.action() == Action.REFUSED
        ? decision.before()
        : bounds.clamp(decision.asked());
  }

  /** A decision in a cell of a table. */
  static String cell(@Nullable PoolDecision decision) {
    if (decision == null) {
      return "-";
    }
    String asked = decision.asked() == null ? "" : decision.asked().toString();
    return switch (decision.action()) {
      case RESIZED, RECORDED, KEPT -> asked;
      case REFUSED, FAILED -> (asked + " " + decision.action()).strip();
    };
  }

  /** The reason; where the same size was recorded, what else is different. */
  String explanation() {
    PoolDecision recorded = window.recorded();
    if (recorded == null || !asksTheSame(recorded)) {
      return decision.reason();
    }
    List<String> differences = new ArrayList<>();
    Set<String> names = new LinkedHashSet<>(recorded.numbers().keySet());
    names.addAll(decision.numbers().keySet());
    for (String name : names) {
      String now = number(decision.numbers(), name);
      String then = number(recorded.numbers(), name);
      if (!now.equals(then)) {
        differences.add("%s is %s, recorded %s".formatted(name, now, then));
      }
    }
    if (!decision.reason().equals(recorded.reason())) {
      differences.add("%s; recorded: %s".formatted(decision.reason(), recorded.reason()));
    }
    return String.join("; ", differences);
  }

  private static String number(Map<String, Double> numbers, String name) {
    return numbers.containsKey(name) ? String.valueOf(numbers.get(name)) : "missing";
  }
}
