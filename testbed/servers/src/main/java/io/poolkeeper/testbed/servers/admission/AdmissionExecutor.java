package io.poolkeeper.testbed.servers.admission;

import io.poolkeeper.testbed.servers.admission.Admission.Permit;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs each task on a thread of its own, if an {@link Admission} permits it.
 *
 * <p>A task that is refused at once is rejected on the thread that brought it. One that is refused
 * after a wait is told so, if it is an {@link AdmissibleTask}.
 *
 * <p><b>Guarantee.</b> A permit comes back exactly once, whatever the task throws and whether or
 * not there was a thread for it.
 */
public final class AdmissionExecutor extends AbstractExecutorService {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private final String name;
  private final Admission admission;
  private final ExecutorService threads;

  /** Work that was taken and has neither ended nor been refused. */
  private final AtomicLong unfinished = new AtomicLong();

  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean closing;
  private volatile boolean dropping;

  /**
   * @param name name in messages
   * @param threads where admitted tasks run, each on a thread of its own; shut down with this
   */
  public AdmissionExecutor(String name, Admission admission, ExecutorService threads) {
    this.name = name;
    this.admission = admission;
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    unfinished.incrementAndGet();
    if (closing) {
      finished();
      throw new RejectedExecutionException(name + " takes no more work");
    }
    CompletableFuture<Permit> asked;
    try {
      asked = admission.ask();
    } catch (Throwable e) {
      finished();
      throw e;
    }
    if (!asked.isDone()) {
      var unused = asked.whenComplete((permit, refusal) -> decided(task, permit));
    } else if (asked.isCompletedExceptionally()) {
      finished();
      throw new RejectedExecutionException(name + " is at its limit");
    } else {
      start(task, asked.join());
    }
  }

  /** Starts or refuses a task that has waited. */
  private void decided(Runnable task, @Nullable Permit permit) {
    if (permit == null) {
      refuse(task);
      finished();
    } else if (dropping) {
      permit.ignore();
      refuse(task);
      finished();
    } else {
      try {
        start(task, permit);
      } catch (RejectedExecutionException | Error e) {
        LOG.log(Level.WARNING, "an admitted task found no thread", e);
        refuse(task);
      }
    }
  }

  private void start(Runnable task, Permit permit) {
    try {
      threads.execute(() -> run(task, permit));
    } catch (Throwable e) { // There is no thread to be had.
      permit.ignore();
      finished();
      throw e;
    }
  }

  private void run(Runnable task, Permit permit) {
    boolean completed = false;
    try {
      task.run();
      completed = !(task instanceof AdmissibleTask admissible && admissible.failed());
    } catch (Throwable e) { // The thread has nobody else to tell.
      LOG.log(Level.WARNING, "a task failed", e);
    } finally {
      if (completed) {
        permit.success();
      } else {
        permit.dropped();
      }
      finished();
    }
  }

  private static void refuse(Runnable task) {
    if (task instanceof AdmissibleTask admissible) {
      admissible.refuse();
    } else {
      LOG.log(Level.WARNING, "a task was refused after a wait: {0}", task);
    }
  }

  private void finished() {
    if (unfinished.decrementAndGet() == 0 && closing) {
      end();
    }
  }

  private void end() {
    threads.shutdown();
    over.countDown();
  }

  @Override
  public void shutdown() {
    closing = true;
    if (unfinished.get() == 0) {
      end();
    }
  }

  /** Interrupts what runs and refuses what waits, once it would be admitted or its wait is over. */
  @Override
  public List<Runnable> shutdownNow() {
    dropping = true;
    shutdown();
    threads.shutdownNow();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return closing;
  }

  @Override
  public boolean isTerminated() {
    return over.getCount() == 0;
  }

  @Override
  public boolean awaitTermination(long patience, TimeUnit unit) throws InterruptedException {
    return over.await(patience, unit);
  }
}
