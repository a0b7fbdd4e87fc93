package io.poolkeeper.controllers;

/**
 * Windows of one size taken together until enough has ended in them to learn something.
 *
 * @param size size in force, 0 if nothing has been gathered
 * @param seconds their length
 * @param busy sum of busy workers times seconds
 * @param waiting sum of waiting tasks times seconds
 * @param mostWaiting largest number of waiting tasks
 * @param arrivals tasks offered
 * @param rejected tasks refused
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
    double rejected,
    double ended,
    double completions,
    double reward,
    double stalled) {

  /** Nothing gathered. */
  public static final Gathering NONE = new Gathering(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Fewer completions say nothing. */
  private static final double ENOUGH = 4;

  /** Where so many were expected, a few say that the rate has fallen. */
  private static final double MANY = 20;

  /** Waiting for them ends after so long, seconds. */
  private static final double PATIENCE = 10;

  /** Of the reward at another size; less is a collapse. */
  private static final double COLLAPSED = 0.95;

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
        before.rejected + reading.rejected(),
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

  /** Whether there are as many completions as say something of any size. */
  boolean enough() {
    return completions >= ENOUGH;
  }

  /**
   * Whether so little has ended that the size is worse than another, chance allowed for. A better
   * one shows later: tasks that started with the size have to end first.
   *
   * @param rate reward per second at the other size
   */
  boolean collapsed(double rate) {
    double most = completions + 1 + 2 * Math.sqrt(completions + 1);
    return completions >= ENOUGH && reward / seconds * most / completions < COLLAPSED * rate;
  }

  /**
   * Whether so little has ended at a size that is known that the rate has fallen, whatever its
   * noise.
   *
   * @param rate reward per second that was expected of it
   */
  boolean fell(double rate) {
    return completions > 0 && completions < ENOUGH && rate * seconds >= MANY;
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
        rejected,
        ended,
        completions,
        reward / seconds);
  }
}
