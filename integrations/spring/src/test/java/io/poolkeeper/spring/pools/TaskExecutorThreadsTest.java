package io.poolkeeper.spring.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.WindowSums;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** The kit on a task executor of Spring. */
final class TaskExecutorThreadsTest extends HostKit {

  @Override
  protected Host start(int size) {
    return new ExecutorHost(size);
  }

  private static ThreadPoolTaskExecutor executor(int core, int maximum, int queue) {
    ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
    executor.setCorePoolSize(core);
    executor.setMaxPoolSize(maximum);
    executor.setQueueCapacity(queue);
    return executor;
  }

  private static TaskExecutorThreads tuned(ThreadPoolTaskExecutor executor) {
    executor.initialize();
    return TaskExecutorThreads.install(
        "tasks",
        BOUNDS,
        Objective.throughput(),
        executor,
        builder -> builder.mode(Mode.FROZEN).window(WINDOW).jmx(false));
  }

  @Test
  void theDecoratorOfTheBeanGoesOn() throws Exception {
    AtomicInteger decorated = new AtomicInteger();
    ThreadPoolTaskExecutor executor = executor(1, 1, 10);
    executor.setTaskDecorator(
        task -> {
          decorated.incrementAndGet();
          return task;
        });
    WindowSums sums = WindowSums.of(tuned(executor).control());
    executor.submit(() -> {}).get();
    assertThat(decorated).hasValue(1);
    Conditions.await("a completion", () -> sums.completions() == 1);
    executor.shutdown();
  }

  @Test
  void aFullQueueGetsThreadsUpToTheMaximumOfTheBean() throws Exception {
    ThreadPoolTaskExecutor executor = executor(1, 3, 1);
    TaskExecutorThreads threads = tuned(executor);
    threads.resize(1); // The maximum is 1 as well now.
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i < 4; i++) { // Three run, one waits.
      executor.execute(() -> await(end));
    }
    assertThat(executor.getPoolSize()).isEqualTo(3);
    assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(TaskRejectedException.class);

    end.countDown();

    Conditions.await("one thread again", () -> executor.getPoolSize() == 1);
    assertThat(executor.getMaxPoolSize()).isEqualTo(1);
    executor.shutdown();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A task executor that works as in a service. */
  private static final class ExecutorHost implements Host {
    private ThreadPoolTaskExecutor executor;
    private TaskExecutorThreads threads;

    ExecutorHost(int size) {
      executor = executor(size, Integer.MAX_VALUE, Integer.MAX_VALUE);
      threads = tuned(executor);
    }

    @Override
    public Resizable pool() {
      return threads;
    }

    @Override
    public ControlLoop loop() {
      return threads.control();
    }

    @Override
    public void call(Runnable work) throws Exception {
      executor.submit(work).get();
    }

    @Override
    public int capacity() {
      return executor.getPoolSize();
    }

    @Override
    public OptionalInt reportedSize() {
      return OptionalInt.of(executor.getCorePoolSize());
    }

    @Override
    public void restart() {
      int size = threads.size();
      close();
      executor = executor(size, Integer.MAX_VALUE, Integer.MAX_VALUE);
      threads = tuned(executor);
    }

    @Override
    public void close() {
      executor.shutdown();
    }
  }
}
