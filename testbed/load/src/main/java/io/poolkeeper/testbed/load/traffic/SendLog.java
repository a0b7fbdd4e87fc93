package io.poolkeeper.testbed.load.traffic;

/** Learns how punctual the requests of clients who arrive are. */
@FunctionalInterface
public interface SendLog {

  /**
   * A request is sent.
   *
   * @param lag nanoseconds for which it could have been sent before: since its time had come and
   *     there was a connection for it
   * @param waited whether there was no connection for it when its time came
   * @param arrival whether its client has just arrived, rather than sent others before
   */
  void sent(long lag, boolean waited, boolean arrival);
}
