package io.poolkeeper.testbed.simulator.engine.measure;

/** Hears of every request that ended, in the order of the ends, warm-up included. */
@FunctionalInterface
public interface ResponseListener {

  /**
   * A request ended.
   *
   * @param clients who sent it
   * @param request its name
   * @param sent when it was sent, nanoseconds since the start of the run
   * @param ended when it ended, likewise
   * @param failed whether it was refused or failed
   */
  void answered(String clients, String request, long sent, long ended, boolean failed);
}
