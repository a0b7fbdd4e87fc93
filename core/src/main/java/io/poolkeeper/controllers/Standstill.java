package io.poolkeeper.controllers;

import static io.poolkeeper.controllers.Explanation.format;

import io.poolkeeper.Decision;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.Optional;

/**
 * The answer to a standstill: nothing ends, no worker is free, and tasks wait.
 *
 * <p>Tasks that wait for other tasks of their own pool need more workers. Tasks that wait for a
 * stalled disk or a downstream service need none: the new workers wait as well, and what they wait
 * for has more to do when it goes on. Their stacks look alike. The evidence is the number of
 * waiting tasks that the pool's own workers submitted: workers may be waiting for those.
 *
 * <p>A task that another thread submitted on behalf of a worker is not among them. So a worker is
 * added in any standstill after some seconds, and then after twice the time again and again: as
 * good as nothing for a stalled service, and the end of a deadlock some day.
 */
final class Standstill {

  private final Draft draft;
  private final Observation window;
  private final double seconds;
  private final double secondsBefore;

  Standstill(Draft draft) {
    this.draft = draft;
    this.window = draft.window;
    this.seconds = draft.accumulator.stalledSeconds();
    this.secondsBefore = Math.max(0, seconds - window.seconds());
  }

  /**
   * Returns whether tasks do not end, in place of ending rarely: for longer than a standstill may
   * take, or where many would have ended at the rate that is known of this size.
   */
  boolean stalls() {
    return seconds >= Tuning.HANG_SECONDS || (seconds > 0 && lacksMany());
  }

  private boolean lacksMany() {
    double level = draft.posteriorBefore().level(SizeGrid.nearest(window.size())).mean();
    return !draft.knowledge.evidence().isEmpty()
        && StrictMath.exp(level) * seconds >= Tuning.MANY_COMPLETIONS;
  }

  /** Returns the decision in a standstill, empty if there is none. */
  Optional<Decision> decide() {
    boolean stands =
        seconds >= Tuning.HANG_SECONDS
            && window.utilisation() > Tuning.FULL
            && window.waiting() >= 1
            && draft.collecting < Tuning.COLLECTING_RECOVERED;
    if (!stands) {
      return Optional.empty();
    }
    int size = window.size();
    boolean waitForEachOther = draft.queuedByWorkers > 0 && !draft.load.saturated();
    long more = waitForEachOther ? dueForOwnTasks() : dueInAnyCase();
    double largest = Math.min(Math.ceil(window.inSystem()), draft.guard.ceiling());
    int next = (int) Math.max(size, Math.min((double) size + more, largest));
    if (!waitForEachOther && next > size) {
      draft.accumulator = draft.accumulator.withGrowth();
    }
    return Optional.of(
        Decision.towards(
            next,
            format(
                "nothing has ended for %.1f s, no worker is free and %.0f tasks wait; %s",
                seconds,
                window.waiting(),
                waitForEachOther ? ownTasks(next - size) : otherTasks(next - size))));
  }

  /** Returns the workers that are due for own tasks: some a second, no more than such tasks. */
  private long dueForOwnTasks() {
    double interval = Tuning.HANG_WORKER_SECONDS;
    double since = Math.max(secondsBefore, Tuning.HANG_SECONDS - interval);
    double due = Math.floor(seconds / interval) - Math.floor(since / interval);
    return Math.min((long) due, draft.queuedByWorkers);
  }

  /**
   * Returns 1 if one of the rare additions is due that need no evidence. It may come late: a window
   * in which a worker starts or stops is not full.
   */
  private int dueInAnyCase() {
    return nextAddition(draft.accumulator.growthSeconds()) <= seconds ? 1 : 0;
  }

  /** Returns the time of the first addition after a time: 1, 3, 7, 15 ... times the first. */
  private static double nextAddition(double after) {
    double next = Tuning.HANG_FALLBACK_SECONDS;
    while (next <= after) {
      next = 2 * next + Tuning.HANG_FALLBACK_SECONDS;
    }
    return next;
  }

  private String ownTasks(int more) {
    return format(
        "workers of this pool submitted %d of them and may be waiting for the result; %s",
        draft.queuedByWorkers, more == 0 ? "the size stays" : added(more));
  }

  private String otherTasks(int more) {
    String evidence =
        draft.queuedByWorkers > 0
            ? "the workers compute on busy processors, so they do not wait for tasks"
            : draft.queuedByWorkers == 0
                ? "no worker of this pool submitted any of them, so more workers would wait as well"
                : "nothing tells whether tasks wait for each other, and more workers might wait as well";
    return more == 0
        ? format(
            "%s; the size stays, and one more worker follows at %.0f s",
            evidence, nextAddition(seconds))
        : format("%s; %s in case they wait for each other unseen", evidence, added(more));
  }

  private static String added(int more) {
    return more == 1 ? "one more worker" : more + " more workers";
  }
}
