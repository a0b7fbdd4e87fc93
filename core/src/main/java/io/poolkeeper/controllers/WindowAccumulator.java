package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.Tuning;

/**
 * Sum of the windows at a size until enough tasks have ended to learn from them.
 *
 * @param size size in force, 0 if there is no window
 * @param seconds total length
 * @param busy sum of busy workers times seconds
 * @param waiting sum of waiting tasks times seconds
 * @param mostWaiting largest number of waiting tasks
 * @param arrivals tasks offered
 * @param rejected tasks rejected
 * @param ended tasks that ended
 * @param completions tasks that succeeded
 * @param reward sum of rates times seconds
 * @param worked seconds that workers spent on the tasks that ended
 * @param stalledSeconds seconds since the last end of a task or the last reward, at any size
 * @param growthSeconds those of them before the last worker was added without evidence, 0 if none
 */
record WindowAccumulator(
    int size,
    double seconds,
    double busy,
    double waiting,
    double mostWaiting,
    double arrivals,
    double rejected,
    double ended,
    double completions,
    double reward,
    double worked,
    double stalledSeconds,
    double growthSeconds) {

  static final WindowAccumulator EMPTY =
      new WindowAccumulator(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Adds a window; a window of another size starts a new sum. */
  WindowAccumulator plus(Observation window) {
    WindowAccumulator before = window.size() == size ? this : EMPTY;
    double length = window.seconds();
    boolean stands = window.ended() == 0 && window.rate() == 0;
    return new WindowAccumulator(
        window.size(),
        before.seconds + length,
        before.busy + window.busy() * length,
        before.waiting + window.waiting() * length,
        Math.max(before.mostWaiting, window.mostWaiting()),
        before.arrivals + window.arrivals(),
        before.rejected + window.rejected(),
        before.ended + window.ended(),
        before.completions + window.completions(),
        before.reward + window.rate() * length,
        before.worked + window.worked(),
        stands ? stalledSeconds + length : 0,
        stands ? growthSeconds : 0);
  }

  /** Returns an empty sum. A time in which nothing ended goes on. */
  WindowAccumulator emptied() {
    return new WindowAccumulator(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, stalledSeconds, growthSeconds);
  }

  /** Notes that a worker is added without evidence. */
  WindowAccumulator withGrowth() {
    return new WindowAccumulator(
        size,
        seconds,
        busy,
        waiting,
        mostWaiting,
        arrivals,
        rejected,
        ended,
        completions,
        reward,
        worked,
        stalledSeconds,
        stalledSeconds);
  }

  /** Returns whether the sum shows the effect of the size: a task of each worker has ended. */
  boolean complete() {
    return (completions >= Tuning.ENOUGH_COMPLETIONS && completions >= busy / seconds)
        || (completions > 0 && seconds >= Tuning.GATHERING_SECONDS);
  }

  /** Returns whether there are enough completions for an estimate at any size. */
  boolean hasEnoughCompletions() {
    return completions >= Tuning.ENOUGH_COMPLETIONS;
  }

  /**
   * Returns whether so few tasks have ended that the size is worse than another, beyond chance. A
   * better size shows later: tasks that started with it have to end first. One or two tell enough
   * once each worker should have ended many.
   *
   * @param rate reward per second at the other size
   */
  boolean isWorseThan(double rate) {
    double most = completions + 1 + 2 * Math.sqrt(completions + 1);
    double expectedOfEach = rate * seconds / size;
    return (completions >= Tuning.ENOUGH_COMPLETIONS
            || (completions > 0 && expectedOfEach >= Tuning.MANY_COMPLETIONS))
        && reward / seconds * most / completions < Tuning.COLLAPSED * rate;
  }

  /**
   * Returns whether so few tasks have ended at a familiar size that its rate has fallen, whatever
   * its noise.
   *
   * @param rate reward per second that was expected of it
   */
  boolean hasFallenFrom(double rate) {
    return completions > 0
        && completions < Tuning.ENOUGH_COMPLETIONS
        && rate * seconds * completions >= Tuning.MANY_COMPLETIONS * reward;
  }

  /** Returns the reward per second of a few completions, or of half a one where there is none. */
  double roughRate() {
    double few = completions > 0 ? reward * (1 + 0.5 / completions) : Math.max(reward, 0.5);
    return few / seconds;
  }

  /** Returns the sum as a single window. */
  Observation observation() {
    return new Observation(
        seconds,
        size,
        busy / seconds,
        waiting / seconds,
        mostWaiting,
        arrivals,
        rejected,
        ended,
        completions,
        reward / seconds,
        worked);
  }
}
