package io.poolkeeper.internal.executor;

import io.poolkeeper.Window;

/**
 * The number of workers that there may be: the size, and one more for each {@linkplain Residence
 * resident} task, up to the maximum of the pool. It changes with the lock of the {@link Workers}
 * held, and is read without it.
 */
final class WorkerLimit {

  private final LiveWorkers alive;
  private final int maximum;
  private final LongestTask longestTask = new LongestTask();
  private volatile int size;
  private volatile int residents;
  private volatile int workers;

  /**
   * @param alive workers whose tasks may become resident
   * @param size first size, {@code maximum} or less
   */
  WorkerLimit(LiveWorkers alive, int size, int maximum) {
    this.alive = alive;
    this.size = size;
    this.workers = size;
    this.maximum = maximum;
  }

  /** Returns the limit. */
  int workers() {
    return workers;
  }

  int size() {
    return size;
  }

  int residents() {
    return residents;
  }

  int maximum() {
    return maximum;
  }

  void resize(int size) {
    this.size = size;
    update();
  }

  /**
   * Determines at the end of a window which tasks are resident.
   *
   * @param hangs whether the pool hangs; then as many become resident as one more worker needs
   * @param count number of workers
   * @return number of tasks that became resident because of the hang
   */
  int review(Window window, boolean hangs, int count) {
    long ended = window.completions() + window.failures();
    long longest = window.serviceTime().max();
    longestTask.add(ended, longest);
    int found = alive.review(window.end(), ended, longest);
    residents = found;
    update();
    int declared = hangs ? declareResident(count - workers) : 0;
    residents = found + declared;
    update();
    return declared;
  }

  /**
   * Declares tasks resident that have run ten times as long as any that ended lately. If no task
   * has ever ended, they are tasks that have run for a minute in a pool that was made smaller.
   *
   * @param surplus workers beyond the limit
   */
  private int declareResident(int surplus) {
    if (longestTask.measured()) {
      return alive.declareResident(Residence.TIMES_LONGER * longestTask.nanos(), surplus + 1);
    }
    return surplus > 0 ? alive.declareResident(Residence.LONG_AMONG_MANY, surplus + 1) : 0;
  }

  /** Records that the task of a worker has ended. */
  void free(Worker worker) {
    if (worker.resident) {
      worker.resident = false;
      int others = residents - 1;
      residents = others;
      update();
    }
  }

  private void update() {
    workers = Math.max(size, Math.min(maximum, size + residents));
  }
}
