package io.poolkeeper.testbed.disk.run;

import io.poolkeeper.testbed.disk.Neighbour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Process that writes to the disk from the first start of a job of a phase to the last end of one.
 * A thread of its own starts and ends it, so that no worker waits for that.
 */
final class PhaseNeighbour {

  private final CountDownLatch first = new CountDownLatch(1);
  private final CountDownLatch last;
  private final FutureTask<Integer> life;

  /**
   * @param folder folder on the disk
   * @param jobs number of jobs of the phase
   */
  PhaseNeighbour(Path folder, int jobs) {
    last = new CountDownLatch(jobs);
    life = new FutureTask<>(() -> live(folder, jobs));
    Thread thread = new Thread(life, "neighbour");
    thread.setDaemon(true);
    thread.start();
  }

  @SuppressWarnings("try") // The neighbour works by being there.
  private int live(Path folder, int jobs) throws IOException, InterruptedException {
    first.await();
    try (Neighbour neighbour = new Neighbour(folder)) {
      last.await();
    }
    return jobs;
  }

  /** Notes that a job starts. */
  void jobStarts() {
    first.countDown();
  }

  /** Notes that a job has ended. */
  void jobEnded() {
    last.countDown();
  }

  /**
   * Waits for its end, once all jobs have ended.
   *
   * @throws IOException if it could not be started, or ended early
   */
  void await() throws IOException, InterruptedException {
    try {
      int unused = life.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new IOException(cause == null ? e.toString() : cause.getMessage(), e);
    }
  }
}
