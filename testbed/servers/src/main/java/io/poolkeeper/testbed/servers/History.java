package io.poolkeeper.testbed.servers;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.util.ArrayDeque;
import java.util.List;

/** The last windows and steps of a pool, for those who ask later. */
final class History implements ControlListener {

  private static final int KEPT = 1_000;

  private final ArrayDeque<Window> windows = new ArrayDeque<>();
  private final ArrayDeque<Step> steps = new ArrayDeque<>();

  @Override
  public synchronized void onWindow(Resizable pool, Window window) {
    keep(windows, window);
  }

  @Override
  public synchronized void onStep(Resizable pool, Step step) {
    keep(steps, step);
  }

  private static <T> void keep(ArrayDeque<T> kept, T next) {
    if (kept.size() == KEPT) {
      kept.removeFirst();
    }
    kept.addLast(next);
  }

  /** Windows that ended after {@code since}, oldest first. */
  synchronized List<Window> windowsSince(long since) {
    return windows.stream().filter(window -> window.end() > since).toList();
  }

  /** Steps on windows that ended after {@code since}, oldest first. */
  synchronized List<Step> stepsSince(long since) {
    return steps.stream().filter(step -> step.window().end() > since).toList();
  }
}
