package io.poolkeeper.testbed.controllers.rules;

/**
 * A limit on what runs at once that changes with every task that ends: the form in which admission
 * limiters publish their rules. {@link SampledPolicy} makes a policy of one.
 */
public interface SampleRule {

  /** Name by which people know it. */
  String name();

  /** The limit in force, 1 or more. */
  int limit();

  /**
   * A task ended.
   *
   * @param start when it began, nanoseconds of a monotonic clock
   * @param time how long it ran, nanoseconds; a sample that is not positive changes nothing
   * @param inFlight tasks that ran just before it ended, itself included
   * @param dropped whether it was given up because of load
   */
  void sample(long start, long time, int inFlight, boolean dropped);

  /** Why the limit is what it is since it changed last, in words and numbers. */
  String reason();
}
