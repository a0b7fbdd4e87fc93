package io.poolkeeper;

import io.poolkeeper.AdaptiveLimiter.Permit;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A program for a virtual machine with a small heap: threads use a limiter and a semaphore while
 * others fill the heap again and again. Prints what is missing afterwards.
 */
final class ExhaustedHeap {

  private static final int PERMITS = 3;
  private static final int THREADS = 9;
  private static final int ROUNDS = 4;
  private static final long MILLIS_A_ROUND = 1_000;

  /** Milliseconds after which a thread counts as hung; a busy machine runs it seldom. */
  private static final long HUNG = 300_000;

  /** Seconds after which a round ends though memory did not run out. */
  private static final int PATIENCE = 15;

  /** Elements of the largest array that fills the heap. */
  private static final int LARGEST = 1 << 18;

  /** Nanoseconds for which the heap stays full. */
  private static final long MOMENT = 50_000_000;

  private ExhaustedHeap() {}

  /** One use of a permit; may throw anything. */
  private interface Use {
    void once() throws Exception;
  }

  /** A permit that was reclaimed had been lost before. */
  private static final class Leaks implements ControlListener {
    private int count;

    @Override
    public void onLeak(Resizable pool, AdaptiveLimiter.Holder holder) {
      count++;
    }
  }

  public static void main(String[] arguments) throws Exception {
    int lostOfLimiter = 0;
    int lostOfSemaphore = 0;
    AtomicLong errors = new AtomicLong();
    for (int round = 0; round < ROUNDS; round++) {
      HandTimer timer = new HandTimer();
      Leaks leaks = new Leaks();
      AdaptiveLimiter limiter =
          AdaptiveLimiter.builder("round " + round)
              .bounds(1, 100)
              .initialSize(PERMITS)
              .mode(Mode.FROZEN)
              .jmx(false)
              .ticker(Ticker.system())
              .timer(timer)
              .listener(leaks)
              .build();
      Semaphore semaphore = new Semaphore(PERMITS, true);
      List<Use> uses =
          List.of(
              () -> limiter.acquire().success(),
              () -> end(limiter.tryAcquire()),
              () -> end(limiter.acquire(Duration.ofNanos(20_000))),
              () -> async(limiter),
              () -> limiter.acquire().ignore(),
              () -> semaphore(semaphore),
              () -> trySemaphore(semaphore),
              () -> limiter.resize(PERMITS),
              timer::tick);
      AtomicBoolean running = new AtomicBoolean(true);
      CountDownLatch started = new CountDownLatch(1); // To start a thread takes memory.
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        Use use = uses.get(t % uses.size());
        threads.add(new Thread(() -> repeat(use, running, errors), "user " + t));
      }
      for (int t = 0; t < 2; t++) {
        threads.add(new Thread(() -> fill(started, running), "filler " + t));
      }
      threads.forEach(thread -> thread.setDaemon(true));
      threads.forEach(Thread::start);
      started.countDown();
      long before = errors.get();
      int waits = 0;
      do { // On a busy machine nobody may have met the full heap yet.
        Thread.sleep(MILLIS_A_ROUND);
        waits++;
      } while (errors.get() == before && waits < PATIENCE);
      running.set(false);
      for (int i = threads.size(); i-- > 0; ) { // The heap is full until the fillers have ended.
        threads.get(i).join(HUNG);
        if (threads.get(i).isAlive()) {
          System.out.println(threads.get(i).getName() + " hangs");
          Runtime.getRuntime().halt(1);
        }
      }
      lostOfSemaphore += PERMITS - semaphore.availablePermits();
      lostOfLimiter += lost(limiter) + leaks.count;
      limiter.close();
    }
    System.out.printf(
        "limiter %d semaphore %d errors %d%n", lostOfLimiter, lostOfSemaphore, errors.get());
  }

  private static int lost(AdaptiveLimiter limiter) {
    List<Optional<Permit>> all = new ArrayList<>();
    int there = 0;
    for (int i = 0; i <= PERMITS; i++) {
      Optional<Permit> permit = limiter.tryAcquire();
      all.add(permit);
      there += permit.isPresent() ? 1 : 0;
    }
    all.forEach(permit -> permit.ifPresent(Permit::ignore));
    return Math.abs(PERMITS - there) + limiter.waiting();
  }

  private static void repeat(Use use, AtomicBoolean running, AtomicLong errors) {
    while (running.get()) {
      try {
        use.once();
      } catch (Throwable e) { // Of log handlers, too, and of classes that were not loaded.
        errors.incrementAndGet();
      }
    }
  }

  /** No lambda: to link one takes memory, and would cost the permit here. */
  private static void end(Optional<Permit> permit) {
    if (permit.isPresent()) {
      permit.get().dropped();
    }
  }

  private static void async(AdaptiveLimiter limiter) {
    CompletableFuture<Permit> future = limiter.acquireAsync(Runnable::run);
    // Cancelled or granted, the permit comes back; a future without memory for either is retried.
    while (true) {
      try {
        if (future.isDone() || future.cancel(false)) {
          break;
        }
      } catch (OutOfMemoryError e) {
        Thread.onSpinWait();
      }
    }
    if (!future.isCompletedExceptionally()) {
      future.join().success();
    }
  }

  private static void semaphore(Semaphore semaphore) throws InterruptedException {
    semaphore.acquire();
    semaphore.release();
  }

  private static void trySemaphore(Semaphore semaphore) throws InterruptedException {
    if (semaphore.tryAcquire(20, TimeUnit.MICROSECONDS)) {
      semaphore.release();
    }
  }

  /** Fills the heap to the last few bytes, keeps it so for a moment, and lets go of it. */
  private static void fill(CountDownLatch started, AtomicBoolean running) {
    while (started.getCount() > 0) {
      Thread.onSpinWait();
    }
    Object @Nullable [] chain = null;
    int size = LARGEST;
    while (running.get()) {
      try {
        Object[] next = new Object[size];
        next[0] = chain;
        chain = next;
      } catch (OutOfMemoryError e) {
        size /= 2;
        if (size == 0) {
          long end = System.nanoTime() + MOMENT;
          while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
          }
          chain = null;
          size = LARGEST;
        }
      }
    }
  }
}
