package io.poolkeeper.internal.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Await;
import io.poolkeeper.Objective;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of workers and of the queue that they wait for, where something throws. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WorkersTest {

  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  private Thread thread(Runnable body) {
    Thread thread = new Thread(body);
    thread.setDaemon(true);
    threads.add(thread);
    return thread;
  }

  private static PoolMeter meter() {
    return new PoolMeter(0, Objective.throughput());
  }

  private static Workers workers(WorkQueue queue, ThreadFactory threads, Runnable onTermination) {
    return new Workers(queue, threads, meter(), System::nanoTime, true, 2, 2, onTermination);
  }

  private static Task task(Runnable body) {
    return new Task(body, System.nanoTime());
  }

  /** It would turn for ever, as it has no slot to give up any more. */
  @Test
  void aWorkerEndsThoughTheCallAtTheEndThrows() throws Exception {
    AtomicBoolean called = new AtomicBoolean();
    Workers workers =
        workers(
            new LinkedWorkQueue(Integer.MAX_VALUE),
            this::thread,
            () -> {
              called.set(true);
              throw new OutOfMemoryError("on purpose");
            });
    CountDownLatch release = new CountDownLatch(1);
    workers.start(task(() -> Await.latch(release)));
    workers.shutdown();
    release.countDown();
    assertThat(workers.awaitTermination(TimeUnit.SECONDS.toNanos(300))).isTrue();
    threads.get(0).join(300_000);
    assertThat(threads.get(0).isAlive()).as("the worker goes on").isFalse();
    assertThat(called).isTrue();
    assertThat(workers.count()).isZero();
  }

  /** As that of a virtual thread which finds no memory to park. */
  @Test
  void aWaitThatThrowsLeavesNoWorkerAmongTheIdle() throws Exception {
    LinkedBlockingQueue<Runnable> throwing =
        new LinkedBlockingQueue<>() {
          private static final long serialVersionUID = 1;

          @Override
          public boolean isEmpty() {
            throw new OutOfMemoryError("on purpose");
          }
        };
    Workers leaving = workers(new ForeignWorkQueue(throwing), this::thread, () -> {});
    assertThatThrownBy(leaving::shutdown).isInstanceOf(OutOfMemoryError.class);
    LinkedWorkQueue queue = new LinkedWorkQueue(Integer.MAX_VALUE);
    Worker worker = new Worker(leaving, queue, meter(), System::nanoTime, null);
    worker.thread(Thread.currentThread());
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> queue.await(worker, Long.MAX_VALUE))
          .isInstanceOf(OutOfMemoryError.class);
    }
    queue.wakeAll();
    assertThat(worker.asleep).isFalse();

    Workers others = workers(queue, this::thread, () -> {});
    others.start(null);
    Await.until("it sleeps", () -> threads.get(0).getState() == Thread.State.WAITING);
    CountDownLatch ran = new CountDownLatch(1);
    queue.offer(task(ran::countDown));
    Await.latch(ran);
    others.stop();
    threads.get(0).join();
  }
}
