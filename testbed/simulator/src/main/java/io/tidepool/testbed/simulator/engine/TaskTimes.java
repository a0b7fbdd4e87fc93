package io.tidepool.testbed.simulator.engine;

import io.tidepool.TimeStats;

/** Queue wait, service time and response time of the tasks of a pool over an interval. */
final class TaskTimes {

  /** Of tasks that did not wait the service time is the response time: one record serves. */
  private final Times immediate;

  private final Times wait;
  private final Times service;
  private final Times response;

  TaskTimes(int digits) {
    immediate = new Times(digits);
    wait = new Times(digits);
    service = new Times(digits);
    response = new Times(digits);
  }

  void record(long waited, long served) {
    if (waited == 0) {
      immediate.record(served);
    } else {
      wait.record(waited);
      service.record(served);
      response.record(waited + served);
    }
  }

  /** The three distributions. */
  record Stats(TimeStats queueWait, TimeStats serviceTime, TimeStats responseTime) {}

  /** What was recorded since the last call. */
  Stats close() {
    wait.recordZeros(immediate.count());
    service.add(immediate);
    response.add(immediate);
    Stats stats = new Stats(wait.stats(), service.stats(), response.stats());
    reset();
    return stats;
  }

  void reset() {
    immediate.reset();
    wait.reset();
    service.reset();
    response.reset();
  }
}
