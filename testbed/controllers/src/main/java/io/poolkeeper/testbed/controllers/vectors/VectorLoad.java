package io.poolkeeper.testbed.controllers.vectors;

/**
 * Load of a {@link VectorPlant} in a window, and the behaviour of the pool under it.
 *
 * @param tasks tasks that run or wait, which the clients keep constant
 * @param single tasks per second of a single worker
 * @param contention loss by contention, of the universal scalability law
 * @param coherence loss by coherence, of the same law
 * @param computing share of its time that a busy worker computes, 0 where it was not measured
 * @param collecting share of the time in garbage collection
 * @param failing tasks that fail, as a share of those that complete
 * @param staying share of the surplus workers that are still busy a window after a step down
 * @param rejecting whether tasks are rejected rather than queued
 * @param stalled whether no task ends
 * @param nested waiting tasks that workers submitted, counted where no task ends; -1 for unknown
 * @param sent tasks per second that the clients send to a pool without workers; infinite for as
 *     many as end
 * @param slowing loss of that by each worker
 * @param polling processors that the workers use beside their tasks
 * @param late share of the window that has passed when all tasks come, none of which ends; minus
 *     the share that is left when all have ended, and none comes; 0 if they are there all the time
 */
record VectorLoad(
    double tasks,
    double single,
    double contention,
    double coherence,
    double computing,
    double collecting,
    double failing,
    double staying,
    boolean rejecting,
    boolean stalled,
    long nested,
    double sent,
    double slowing,
    double polling,
    double late) {

  /** Makes a load of tasks that wait, under the universal scalability law. */
  static VectorLoad of(double tasks, double single, double contention, double coherence) {
    return new VectorLoad(
        tasks,
        single,
        contention,
        coherence,
        0,
        0,
        0,
        0,
        false,
        false,
        0,
        Double.POSITIVE_INFINITY,
        0,
        0,
        0);
  }

  VectorLoad computing(double share) {
    return copy(share, collecting, failing, staying, rejecting, stalled, nested);
  }

  VectorLoad collecting(double share) {
    return copy(computing, share, failing, staying, rejecting, stalled, nested);
  }

  VectorLoad failing(double share) {
    return copy(computing, collecting, share, staying, rejecting, stalled, nested);
  }

  VectorLoad staying(double share) {
    return copy(computing, collecting, failing, share, rejecting, stalled, nested);
  }

  VectorLoad rejects() {
    return copy(computing, collecting, failing, staying, true, stalled, nested);
  }

  VectorLoad stalls() {
    return stalls(nested);
  }

  /** Stalls, and waiting tasks come from the workers: their number, or -1 for unknown. */
  VectorLoad stalls(long fromWorkers) {
    return copy(computing, collecting, failing, staying, rejecting, true, fromWorkers);
  }

  private VectorLoad copy(
      double computing,
      double collecting,
      double failing,
      double staying,
      boolean rejecting,
      boolean stalled,
      long nested) {
    return new VectorLoad(
        tasks,
        single,
        contention,
        coherence,
        computing,
        collecting,
        failing,
        staying,
        rejecting,
        stalled,
        nested,
        sent,
        slowing,
        polling,
        late);
  }

  /** Sends no more tasks than that a second, and fewer to a larger pool. */
  VectorLoad sends(double most, double lossByWorker) {
    return with(most, lossByWorker, polling, late);
  }

  VectorLoad polling(double processors) {
    return with(sent, slowing, processors, late);
  }

  VectorLoad late(double share) {
    return with(sent, slowing, polling, share);
  }

  private VectorLoad with(double most, double lossByWorker, double processors, double share) {
    return new VectorLoad(
        tasks,
        single,
        contention,
        coherence,
        computing,
        collecting,
        failing,
        staying,
        rejecting,
        stalled,
        nested,
        most,
        lossByWorker,
        processors,
        share);
  }

  /** Returns the tasks per second that are sent to a pool of a size. */
  double sentTo(int size) {
    return sent / (1 + slowing * size);
  }

  /** Returns the tasks per second of a number of busy workers. */
  double rateAt(double workers) {
    return workers == 0
        ? 0
        : single * workers / (1 + contention * (workers - 1) + coherence * workers * (workers - 1));
  }
}
