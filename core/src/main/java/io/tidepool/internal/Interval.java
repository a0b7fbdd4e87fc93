package io.tidepool.internal;

/** The tasks that one stripe has seen end since the window began. Used under the stripe's guard. */
final class Interval {

  final Durations queueWait = new Durations();
  final Durations serviceTime = new Durations();
  final Durations responseTime = new Durations();
  long failures;
  long withinBound;

  void record(long wait, long service, boolean failed, long bound) {
    long response = wait + service;
    queueWait.record(wait);
    serviceTime.record(service);
    responseTime.record(response);
    if (failed) {
      failures++;
    } else if (response <= bound) {
      withinBound++;
    }
  }

  long count() {
    return responseTime.count();
  }

  void add(Interval other) {
    queueWait.add(other.queueWait);
    serviceTime.add(other.serviceTime);
    responseTime.add(other.responseTime);
    failures += other.failures;
    withinBound += other.withinBound;
  }

  void reset() {
    queueWait.reset();
    serviceTime.reset();
    responseTime.reset();
    failures = 0;
    withinBound = 0;
  }
}
