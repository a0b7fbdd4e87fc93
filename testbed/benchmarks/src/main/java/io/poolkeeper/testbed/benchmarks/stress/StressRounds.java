package io.poolkeeper.testbed.benchmarks.stress;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of {@link Stress}, in a virtual machine with a small heap. In every round pool and limiter
 * and their counterparts of the JDK are new. Every third round leaves the heap alone, and the
 * windows of the pool have to add up.
 */
final class StressRounds {

  private static final int WORKERS = 4;
  private static final int PERMITS = 3;
  private static final int MOST_QUEUED = 200;

  /** Nanoseconds for which the heap stays full. */
  private static final long MOMENT = 50_000_000;

  /** Time in which everything must be back once the faults have ended, far more than it takes. */
  private static final long PATIENCE_SECONDS = 60;

  private final AtomicBoolean running = new AtomicBoolean(true);
  private final AtomicBoolean failing = new AtomicBoolean();
  private final AtomicLong errors = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch started = new CountDownLatch(1);
  private final boolean fullHeap;
  private final boolean failingThreads;

  private StressRounds(boolean fullHeap, boolean failingThreads) {
    this.fullHeap = fullHeap;
    this.failingThreads = failingThreads;
  }

  /**
   * Runs rounds and prints what was lost.
   *
   * @param arguments seed, number of rounds, seconds of a round
   */
  public static void main(String[] arguments) {
    try {
      runAll(arguments);
      System.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void runAll(String... arguments) throws InterruptedException {
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {});
    SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[0]));
    int rounds = Integer.parseInt(arguments[1]);
    long millis = 1000 * Long.parseLong(arguments[2]);
    for (int round = 0; round < rounds; round++) {
      new StressRounds(random.nextInt(3) > 0, random.nextBoolean()).run(millis);
    }
    print("rounds", rounds);
  }

  private void run(long millis) throws InterruptedException {
    PoolUse ours = PoolUse.ofOurs(this);
    PoolUse theirs = PoolUse.ofJdk(this);
    Limit limit = new Limit();
    Semaphore semaphore = new Semaphore(PERMITS, true);
    failing.set(failingThreads);
    for (PoolUse pool : List.of(ours, theirs)) {
      user(pool::submit);
      user(pool::submit);
    }
    user(ours::resize);
    user(limit::acquire);
    user(limit::acquireAsync);
    user(limit::tryAcquire);
    user(limit::await);
    user(() -> limit.limiter.resize(1 + ThreadLocalRandom.current().nextInt(PERMITS)));
    user(() -> useSemaphore(semaphore));
    user(() -> awaitSemaphore(semaphore));
    if (fullHeap) {
      thread(this::fillHeap);
    }
    thread(this::interrupt);
    threads.forEach(Thread::start);
    started.countDown();
    Thread.sleep(millis);
    failing.set(false);
    running.set(false);
    for (int i = threads.size() - 1; i >= 0; i--) { // From the one that fills the heap on.
      threads.get(i).join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    }
    print("ours-lost-users", threads.stream().filter(Thread::isAlive).count());
    ours.check("ours");
    theirs.check("jdk");
    print("ours-lost-permits", limit.lost());
    print("jdk-lost-permits", PERMITS - semaphore.availablePermits());
    print("permits", limit.granted.get());
    print("errors", errors.get());
    if (!fullHeap) {
      print("ours-lost-counts", ours.missedByWindows());
    }
    limit.limiter.close();
  }

  private static void print(String name, long value) {
    System.out.println(name + " " + value);
  }

  /** One use of something; may throw anything. */
  private interface Use {
    void once() throws Exception;
  }

  private void user(Use use) {
    thread(() -> repeat(use));
  }

  private void thread(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    threads.add(thread);
  }

  private void repeat(Use use) {
    while (started.getCount() > 0) {
      Thread.onSpinWait();
    }
    while (running.get()) {
      try {
        use.once();
        if (ThreadLocalRandom.current().nextInt(64) == 0) {
          Thread.sleep(1); // Two processors have other users.
        }
      } catch (Throwable e) {
        errors.incrementAndGet();
      }
    }
  }

  private void interrupt() {
    repeat(
        () -> {
          Thread.sleep(1);
          threads.get(ThreadLocalRandom.current().nextInt(threads.size())).interrupt();
        });
  }

  private void fillHeap() {
    awaitAll(started);
    Object @Nullable [] chain = null;
    int size = 1 << 18;
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
          size = 1 << 18;
        }
      }
    }
  }

  private Thread make(Runnable body) {
    if (failing.get() && ThreadLocalRandom.current().nextInt(4) == 0) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    Thread thread = new Thread(body);
    thread.setDaemon(true);
    return thread;
  }

  private static void awaitAll(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean await(BooleanSupplier condition) throws InterruptedException {
    long began = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
        return false;
      }
      Thread.sleep(1);
    }
    return true;
  }

  private static void useSemaphore(Semaphore semaphore) throws InterruptedException {
    semaphore.acquire();
    semaphore.release();
  }

  private static void awaitSemaphore(Semaphore semaphore) throws InterruptedException {
    if (semaphore.tryAcquire(20, TimeUnit.MICROSECONDS)) {
      semaphore.release();
    }
  }

  /** A pool under use, and the counts of what it accepted and ran. */
  private static final class PoolUse implements ControlListener {
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong ran = new AtomicLong();
    private final AtomicLong arrivals = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final Runnable task = this::runTask;
    private @Nullable AdaptiveExecutor adaptive;
    private @Nullable ThreadPoolExecutor plain;

    static PoolUse ofOurs(StressRounds round) {
      PoolUse use = new PoolUse();
      use.adaptive =
          AdaptiveExecutor.builder("stress")
              .bounds(1, 2 * WORKERS)
              .initialSize(WORKERS)
              .window(Duration.ofMillis(50))
              .keepAlive(Duration.ofMillis(1))
              .threadFactory(round::make)
              .jmx(false)
              .listener(use)
              .build();
      return use;
    }

    static PoolUse ofJdk(StressRounds round) {
      PoolUse use = new PoolUse();
      ThreadPoolExecutor pool =
          new ThreadPoolExecutor(
              WORKERS, WORKERS, 1, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), round::make);
      pool.allowCoreThreadTimeOut(true);
      use.plain = pool;
      return use;
    }

    private ExecutorService pool() {
      ThreadPoolExecutor jdk = plain;
      AdaptiveExecutor own = adaptive;
      if (jdk != null) {
        return jdk;
      }
      if (own != null) {
        return own;
      }
      throw new IllegalStateException("no pool");
    }

    @Override
    public void onWindow(Resizable pool, Window window) {
      arrivals.addAndGet(window.arrivals());
      ended.addAndGet(window.completions() + window.failures());
    }

    private void runTask() {
      ran.incrementAndGet(); // Before all that may fail.
      int kind = ThreadLocalRandom.current().nextInt(32);
      if (kind == 0) {
        throw new FailedTask();
      }
      if (kind == 1) {
        Object[] garbage = new Object[10_000];
        garbage[0] = task;
      }
      if (kind == 2) {
        Thread.currentThread().interrupt();
      }
    }

    void submit() throws InterruptedException {
      if (accepted.get() - ran.get() > MOST_QUEUED) {
        Thread.sleep(1);
        return;
      }
      pool().execute(task);
      accepted.incrementAndGet();
    }

    void resize() throws InterruptedException {
      Thread.sleep(1);
      if (adaptive != null) {
        adaptive.resize(1 + ThreadLocalRandom.current().nextInt(2 * WORKERS));
      }
    }

    /** Looks for tasks that have not run, and whether as many run at once as there may. */
    void check(String whose) throws InterruptedException {
      int workers = WORKERS;
      if (adaptive != null) {
        adaptive.control().mode(Mode.FROZEN);
        Thread.sleep(100); // A decision may be under way.
        adaptive.resize(WORKERS);
      }
      boolean all = await(() -> ran.get() >= accepted.get());
      print(whose + "-lost-tasks", all ? 0 : accepted.get() - ran.get());
      print(whose + "-tasks", ran.get());
      print(whose + "-ran-though-refused", Math.max(0, ran.get() - accepted.get()));
      CountDownLatch together = new CountDownLatch(workers);
      for (int i = 0; i < workers; i++) {
        pool()
            .execute(
                () -> {
                  together.countDown();
                  awaitAll(together);
                });
      }
      boolean complete = together.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
      print(whose + "-lost-workers", complete ? 0 : together.getCount());
      pool().shutdown();
      boolean ended = pool().awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
      print(whose + "-lost-ends", ended ? 0 : 1);
    }

    /** Tasks that no window counted, after the end. */
    long missedByWindows() throws InterruptedException {
      long expected = ran.get() + WORKERS;
      boolean all = await(() -> arrivals.get() == expected && ended.get() == expected);
      return all
          ? 0
          : Math.max(Math.abs(expected - arrivals.get()), Math.abs(expected - ended.get()));
    }
  }

  /** A failure without a stack, which would take memory of its own. */
  private static final class FailedTask extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FailedTask() {
      super("a task that fails", null, false, false);
    }
  }

  /** A limiter under use. */
  private static final class Limit implements ControlListener {
    private final AtomicLong granted = new AtomicLong();
    private final AtomicLong reclaimed = new AtomicLong();
    private final AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("stress")
            .bounds(1, 2 * PERMITS)
            .initialSize(PERMITS)
            .window(Duration.ofMillis(50))
            .jmx(false)
            .listener(this)
            .build();

    /** A permit that had to be reclaimed was lost. */
    @Override
    public void onLeak(Resizable pool, AdaptiveLimiter.Holder holder) {
      reclaimed.incrementAndGet();
    }

    void acquire() throws InterruptedException {
      limiter.acquire().success();
      granted.incrementAndGet();
    }

    void tryAcquire() {
      end(limiter.tryAcquire());
    }

    void await() throws InterruptedException {
      end(limiter.acquire(Duration.ofNanos(20_000)));
    }

    private void end(Optional<AdaptiveLimiter.Permit> permit) {
      if (permit.isPresent()) {
        permit.get().dropped();
        granted.incrementAndGet();
      }
    }

    /** Gives up a future or its permit; without memory for either it tries again. */
    void acquireAsync() {
      CompletableFuture<AdaptiveLimiter.Permit> future = limiter.acquireAsync(Runnable::run);
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
        future.join().ignore();
      }
    }

    long lost() throws InterruptedException {
      limiter.control().mode(Mode.FROZEN);
      Thread.sleep(100); // A decision may be under way.
      limiter.resize(PERMITS);
      List<AdaptiveLimiter.Permit> all = new ArrayList<>();
      Optional<AdaptiveLimiter.Permit> next = limiter.tryAcquire();
      while (next.isPresent()) {
        all.add(next.get());
        next = limiter.tryAcquire();
      }
      long lost = Math.abs(PERMITS - all.size()) + limiter.waiting() + reclaimed.get();
      all.forEach(AdaptiveLimiter.Permit::ignore);
      return lost;
    }
  }
}
