package io.tidepool.controllers;

/**
 * Windows of one size taken together until enough has ended in them to learn something.
 *
 * @param size size in force, 0 if nothing has been gathered
 * @param seconds their length
 * @param busy sum of busy workers times seconds
 * @param waiting sum of waiting tasks times seconds
 * @param mostWaiting largest number of waiting tasks
 * @param arrivals tasks offered
 * @param ended tasks that ended
 * @param completions tasks that ended well
 * @param reward sum of rates times seconds
 * @param stalled seconds since something ended, at whatever size
 */
public record Gathering(
    int size,
    double seconds,
    double busy,
    double waiting,
    double mostWaiting,
    double arrivals,
    double ended,
    double completions,
    double reward,
    double stalled) {

  /** Nothing gathered. */
  public static final Gathering NONE = new Gathering(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Fewer completions say nothing. */
  private static final double ENOUGH = 4;

  /** Waiting for them ends after so long, seconds. */
  private static final double PATIENCE = 10;

  /** With another window; one of another size begins anew. */
  Gathering with(Reading reading) {
    Gathering before = reading.size() == size ? this : NONE;
    double length = reading.seconds();
    return new Gathering(
        reading.size(),
        before.seconds + length,
        before.busy + reading.busy() * length,
        before.waiting + reading.waiting() * length,
        Math.max(before.mostWaiting, reading.mostWaiting()),
        before.arrivals + reading.arrivals(),
        before.ended + reading.ended(),
        before.completions + reading.completions(),
        before.reward + reading.rate() * length,
        reading.ended() == 0 ? stalled + length : 0);
  }

  /** Whether there is something to learn from: what a size does shows once its tasks have ended. */
  boolean complete() {
    return (completions >= ENOUGH && completions >= busy / seconds)
        || (completions > 0 && seconds >= PATIENCE);
  }

  /** All of it as one window. */
  Reading reading() {
    return new Reading(
        seconds,
        size,
        busy / seconds,
        waiting / seconds,
        mostWaiting,
        arrivals,
        ended,
        completions,
        reward / seconds);
  }
}
