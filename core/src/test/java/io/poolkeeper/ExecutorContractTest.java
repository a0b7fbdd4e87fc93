package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract that the JDK documents of its pool, checked of the JDK's pool and of the adaptive
 * one alike.
 */
@Timeout(300)
final class ExecutorContractTest {

  /** A pool under test. */
  private record Pool(ExecutorService executor, BiPredicate<ExecutorService, Runnable> remover) {
    boolean remove(Runnable task) {
      return remover.test(executor, task);
    }
  }

  private enum Kind {
    /** The JDK's pool. */
    JDK {
      @Override
      Pool make(
          int size,
          BlockingQueue<Runnable> queue,
          ThreadFactory threads,
          RejectedExecutionHandler policy) {
        return new Pool(
            new ThreadPoolExecutor(size, size, 0, TimeUnit.SECONDS, queue, threads, policy),
            (pool, task) -> ((ThreadPoolExecutor) pool).remove(task));
      }
    },
    /** Ours, on the queue that is given. */
    ADAPTIVE {
      @Override
      Pool make(
          int size,
          BlockingQueue<Runnable> queue,
          ThreadFactory threads,
          RejectedExecutionHandler policy) {
        return adaptive(size, threads, policy, builder -> builder.queue(queue));
      }
    },
    /** Ours, on its own queue where the given one is as large. */
    ADAPTIVE_LINKED {
      @Override
      Pool make(
          int size,
          BlockingQueue<Runnable> queue,
          ThreadFactory threads,
          RejectedExecutionHandler policy) {
        int capacity = queue.remainingCapacity();
        return adaptive(
            size,
            threads,
            policy,
            builder -> capacity == 0 ? builder.queue(queue) : builder.queueCapacity(capacity));
      }
    };

    private static Pool adaptive(
        int size,
        ThreadFactory threads,
        RejectedExecutionHandler policy,
        UnaryOperator<AdaptiveExecutor.Builder> queue) {
      return new Pool(
          queue
              .apply(
                  AdaptiveExecutor.builder("contract")
                      .bounds(1, 64)
                      .initialSize(size)
                      .mode(Mode.FROZEN)
                      .window(Duration.ofDays(1))
                      .jmx(false)
                      .threadFactory(threads)
                      .rejectionPolicy(policy))
              .build(),
          (pool, task) -> ((AdaptiveExecutor) pool).remove(task));
    }

    abstract Pool make(
        int size,
        BlockingQueue<Runnable> queue,
        ThreadFactory threads,
        RejectedExecutionHandler policy);

    Pool make(int size, BlockingQueue<Runnable> queue, RejectedExecutionHandler policy) {
      return make(size, queue, Thread::new, policy);
    }

    Pool make(int size) {
      return make(size, new LinkedBlockingQueue<>(), new AbortPolicy());
    }
  }

  private final CountDownLatch release = new CountDownLatch(1);
  private final List<ExecutorService> made = new CopyOnWriteArrayList<>();

  @AfterEach
  void endThreads() throws InterruptedException {
    release.countDown();
    for (ExecutorService executor : made) {
      executor.shutdownNow();
      assertThat(executor.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    }
  }

  private Pool watched(Pool pool) {
    made.add(pool.executor());
    return pool;
  }

  /** Keeps one worker busy until the test ends. */
  private void occupy(ExecutorService pool) {
    CountDownLatch begun = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          Await.latch(release);
        });
    Await.latch(begun);
  }

  @ParameterizedTest
  @EnumSource
  void runsWhatItIsGiven(Kind kind) throws Exception {
    ExecutorService pool = watched(kind.make(3)).executor();
    CountDownLatch ran = new CountDownLatch(1);
    pool.execute(ran::countDown);
    assertThat(ran.await(300, TimeUnit.SECONDS)).isTrue();
    assertThat(pool.submit(() -> 7).get()).isEqualTo(7);
    assertThat(pool.submit(() -> {}, "done").get()).isEqualTo("done");
    List<Callable<Integer>> tasks = List.of(() -> 1, () -> 2, () -> 3, () -> 4);
    List<Integer> answers = new ArrayList<>();
    for (Future<Integer> answer : pool.invokeAll(tasks)) {
      assertThat(answer.isDone()).isTrue();
      answers.add(answer.get());
    }
    assertThat(answers).containsExactly(1, 2, 3, 4);
    List<Callable<Integer>> oneGood =
        List.of(
            () -> {
              throw new IllegalStateException("no");
            },
            () -> 5);
    assertThat(pool.invokeAny(oneGood)).isEqualTo(5);
  }

  @ParameterizedTest
  @EnumSource
  void refusesNull(Kind kind) {
    ExecutorService pool = watched(kind.make(1)).executor();
    assertThatNullPointerException().isThrownBy(() -> pool.execute(nothing()));
    assertThatNullPointerException().isThrownBy(() -> pool.submit(nothing()));
  }

  @SuppressWarnings("NullAway") // What a caller without nullness checks may pass.
  private static Runnable nothing() {
    return null;
  }

  @ParameterizedTest
  @EnumSource
  void shutdownRunsWhatWaitsAndRefusesWhatComes(Kind kind) throws Exception {
    ExecutorService pool = watched(kind.make(1)).executor();
    occupy(pool);
    Future<String> waiting = pool.submit(() -> "ran");
    pool.shutdown();
    assertThat(pool.isShutdown()).isTrue();
    assertThat(pool.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(pool.isTerminated()).isFalse();
    assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    release.countDown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(pool.isTerminated()).isTrue();
    assertThat(waiting.get()).isEqualTo("ran");
  }

  @ParameterizedTest
  @EnumSource
  void shutdownNowInterruptsWhatRunsAndReturnsTheUsersOwnTasks(Kind kind) throws Exception {
    ExecutorService pool = watched(kind.make(1)).executor();
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    pool.execute(
        () -> {
          begun.countDown();
          Await.latch(release);
          interrupted.set(Thread.currentThread().isInterrupted());
        });
    Await.latch(begun);
    Runnable first = () -> {};
    Runnable second = () -> {};
    pool.execute(first);
    pool.execute(second);
    Future<?> third = pool.submit(() -> 3);
    assertThat(pool.shutdownNow()).containsExactly(first, second, (Runnable) third);
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(interrupted).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void abortsWhenABoundedQueueIsFull(Kind kind) {
    ExecutorService pool =
        watched(kind.make(1, new LinkedBlockingQueue<>(2), new AbortPolicy())).executor();
    occupy(pool);
    pool.execute(() -> {});
    pool.execute(() -> {});
    assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
  }

  @ParameterizedTest
  @EnumSource
  void abortsWhenNobodyTakesFromASynchronousQueue(Kind kind) throws Exception {
    ExecutorService pool =
        watched(kind.make(2, new SynchronousQueue<>(), new AbortPolicy())).executor();
    occupy(pool);
    assertThat(pool.submit(() -> "second worker").get()).isEqualTo("second worker");
    AtomicInteger refused = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(1);
    // The second worker may not have come back to the queue yet.
    Await.until(
        "the second worker is occupied",
        () -> {
          try {
            pool.execute(
                () -> {
                  started.countDown();
                  Await.latch(release);
                });
            return true;
          } catch (RejectedExecutionException e) {
            refused.incrementAndGet();
            return false;
          }
        });
    Await.latch(started);
    assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
  }

  @ParameterizedTest
  @EnumSource
  void theCallerRunsAndHearsWhatIsThrown(Kind kind) {
    ExecutorService pool =
        watched(
                kind.make(
                    1, new LinkedBlockingQueue<>(1), new ThreadPoolExecutor.CallerRunsPolicy()))
            .executor();
    occupy(pool);
    pool.execute(() -> {});
    AtomicReference<@Nullable Thread> ranIn = new AtomicReference<>();
    pool.execute(() -> ranIn.set(Thread.currentThread()));
    assertThat(ranIn).hasValue(Thread.currentThread());
    assertThatThrownBy(
            () ->
                pool.execute(
                    () -> {
                      throw new IllegalStateException("told to the caller");
                    }))
        .hasMessage("told to the caller");
    Future<String> submitted = pool.submit(() -> "ran");
    assertThat(submitted.isDone()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void discardsTheNewest(Kind kind) throws Exception {
    ExecutorService pool =
        watched(kind.make(1, new LinkedBlockingQueue<>(1), new ThreadPoolExecutor.DiscardPolicy()))
            .executor();
    occupy(pool);
    List<String> ran = new CopyOnWriteArrayList<>();
    pool.execute(() -> ran.add("first"));
    pool.execute(() -> ran.add("second"));
    pool.shutdown();
    release.countDown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(ran).containsExactly("first");
  }

  @ParameterizedTest
  @EnumSource
  void discardsTheOldest(Kind kind) throws Exception {
    ExecutorService pool =
        watched(
                kind.make(
                    1, new LinkedBlockingQueue<>(2), new ThreadPoolExecutor.DiscardOldestPolicy()))
            .executor();
    occupy(pool);
    List<String> ran = new CopyOnWriteArrayList<>();
    pool.execute(() -> ran.add("first"));
    pool.execute(() -> ran.add("second"));
    pool.execute(() -> ran.add("third"));
    pool.shutdown();
    release.countDown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(ran).containsExactly("second", "third");
  }

  @ParameterizedTest
  @EnumSource
  void aPolicyGetsTheUsersTaskAndMayPutItIntoTheQueue(Kind kind) throws Exception {
    List<Runnable> refused = new CopyOnWriteArrayList<>();
    Pool kept =
        watched(
            kind.make(
                1,
                new LinkedBlockingQueue<>(1),
                (task, pool) -> {
                  refused.add(task);
                  release.countDown(); // Makes room, or the wait would have no end.
                  try {
                    pool.getQueue().put(task);
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }));
    ExecutorService pool = kept.executor();
    occupy(pool);
    pool.execute(() -> {});
    CountDownLatch ran = new CountDownLatch(1);
    Runnable last = ran::countDown;
    pool.execute(last);
    assertThat(refused).containsExactly(last);
    Await.latch(ran);
    assertThat(pool.submit(() -> "alive").get(300, TimeUnit.SECONDS)).isEqualTo("alive");
  }

  @ParameterizedTest
  @EnumSource
  void removesWhatHasNotBegun(Kind kind) throws Exception {
    Pool pool = watched(kind.make(1));
    occupy(pool.executor());
    AtomicBoolean ran = new AtomicBoolean();
    Runnable plain = () -> ran.set(true);
    pool.executor().execute(plain);
    Future<?> submitted = pool.executor().submit(plain);
    assertThat(pool.remove(() -> {})).isFalse();
    assertThat(pool.remove(plain)).isTrue();
    assertThat(pool.remove(plain)).isFalse();
    assertThat(pool.remove((Runnable) submitted)).isTrue();
    release.countDown();
    pool.executor().shutdown();
    assertThat(pool.executor().awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(ran).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void whatWasCancelledInTheQueueDoesNotRun(Kind kind) throws Exception {
    ExecutorService pool = watched(kind.make(1)).executor();
    occupy(pool);
    AtomicBoolean ran = new AtomicBoolean();
    Future<?> cancelled = pool.submit(() -> ran.set(true));
    assertThat(cancelled.cancel(true)).isTrue();
    assertThatThrownBy(cancelled::get).isInstanceOf(CancellationException.class);
    pool.shutdown();
    release.countDown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(ran).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptDoesNotReachTheNextTask(Kind kind) throws Exception {
    ExecutorService pool = watched(kind.make(1)).executor();
    for (int i = 0; i < 100; i++) {
      pool.execute(() -> Thread.currentThread().interrupt());
      Future<Boolean> next = pool.submit(() -> Thread.currentThread().isInterrupted());
      assertThat(next.get(300, TimeUnit.SECONDS)).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsThrownReachesTheHandlerAndTheFuture(Kind kind) throws Exception {
    List<Throwable> heard = new CopyOnWriteArrayList<>();
    ExecutorService pool =
        watched(
                kind.make(
                    1,
                    new LinkedBlockingQueue<>(),
                    body -> {
                      Thread thread = new Thread(body);
                      thread.setUncaughtExceptionHandler(
                          (in, thrown) -> {
                            heard.add(thrown);
                            throw new IllegalStateException("thrown by the handler");
                          });
                      return thread;
                    },
                    new AbortPolicy()))
            .executor();
    Error error = new StackOverflowError("on purpose");
    RuntimeException exception = new IllegalStateException("on purpose");
    pool.execute(
        () -> {
          throw error;
        });
    pool.execute(
        () -> {
          throw exception;
        });
    Future<?> future =
        pool.submit(
            () -> {
              throw error;
            });
    assertThatThrownBy(() -> future.get(300, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCause(error);
    assertThat(pool.submit(() -> "alive").get(300, TimeUnit.SECONDS)).isEqualTo("alive");
    Await.until("both were heard", () -> heard.size() == 2);
    // Of the JDK's pool each kills its worker, and the handlers of two workers run in any order.
    assertThat(heard).containsExactlyInAnyOrder(error, exception);
  }

  @ParameterizedTest
  @EnumSource
  void aThreadFactoryThatFailsForAWhileLosesNoTask(Kind kind) throws Exception {
    AtomicInteger asked = new AtomicInteger();
    ExecutorService pool =
        watched(
                kind.make(
                    1,
                    new LinkedBlockingQueue<>(),
                    body -> asked.incrementAndGet() <= 2 ? noThread() : new Thread(body),
                    new AbortPolicy()))
            .executor();
    CountDownLatch ran = new CountDownLatch(2);
    pool.execute(ran::countDown); // Asked twice: for a worker, and because there was none.
    assertThat(ran.getCount()).isEqualTo(2);
    pool.execute(ran::countDown);
    assertThat(ran.await(300, TimeUnit.SECONDS)).isTrue();
  }

  @SuppressWarnings("NullAway") // What a factory may answer, as the JDK documents.
  private static Thread noThread() {
    return null;
  }

  @ParameterizedTest
  @EnumSource
  void aThreadFactoryThatThrowsIsHeardByTheCaller(Kind kind) {
    ExecutorService pool =
        watched(
                kind.make(
                    1,
                    new LinkedBlockingQueue<>(),
                    body -> {
                      throw new IllegalStateException("no threads today");
                    },
                    new AbortPolicy()))
            .executor();
    assertThatThrownBy(() -> pool.execute(() -> {})).hasMessage("no threads today");
  }
}
