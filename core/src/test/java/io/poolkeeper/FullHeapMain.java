package io.poolkeeper;

import io.poolkeeper.controllers.ResponseCurveController;
import io.poolkeeper.spi.TaskMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Fills the heap, keeps it full, and sees to it that of pools in all modes the active ones shrink
 * to their smallest size, and no others: an executor, a limiter, a semaphore, a pool whose loop is
 * stuck in a decision, and pools of the default controller and of a coordinated pair. Run by {@link
 * FullHeapTest}; prints "passed" at the end.
 */
final class FullHeapMain {

  private static final int MINIMUM = 3;
  private static final int SIZE = 48;

  /** Size of pools whose controller is careful with large pools alone, and what it leaves. */
  private static final int LARGE = 200;

  private static final int CAREFUL = 50;
  private static final int PROCESSORS = 2;

  /** Long enough that no window closes before the heap is full. */
  private static final Duration WINDOW = Duration.ofDays(1);

  private static final List<byte[]> HEAP = new ArrayList<>();
  private static volatile boolean filled;
  private static volatile boolean full = true;
  private static volatile boolean deciding;
  static volatile Object garbage = "";

  private FullHeapMain() {}

  /** Asks for half of the size while a quarter of the time goes into garbage collection. */
  private static class Halving implements Controller {
    @Override
    public Decision decide(Window window) {
      return Decision.keep(window, "kept");
    }

    @Override
    public int relieve(int size, double collecting, double filling) {
      return collecting > 0.25 ? size / 2 : size;
    }
  }

  /** Decides until the heap is no longer full, as if each object took minutes to get. */
  private static final class Stuck extends Halving {
    @Override
    public Decision decide(Window window) {
      if (deciding) {
        return super.decide(window);
      }
      deciding = true;
      while (full) {
        LockSupport.parkNanos(1_000_000);
      }
      return Decision.resize(SIZE, "decided before the fall");
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    AtomicBoolean reported = new AtomicBoolean();
    String fall = "fell from " + SIZE + " to ";
    List<AdaptiveLimiter> unchanged = new ArrayList<>();
    for (Mode mode : new Mode[] {Mode.DRY_RUN, Mode.FROZEN}) {
      unchanged.add(limiter(mode).build());
    }
    AdaptiveLimiter limiter = limiter(Mode.ACTIVE).build();
    AdaptiveExecutor executor =
        AdaptiveExecutor.builder("executor")
            .bounds(MINIMUM, SIZE)
            .initialSize(SIZE)
            .window(WINDOW)
            .jmx(false)
            .controller(new Halving())
            .build();
    AdaptiveLimiter telling =
        limiter(Mode.ACTIVE)
            .window(Duration.ofMillis(300))
            .listener(telling(fall, reported))
            .build();
    AdaptiveLimiter stuck =
        limiter(Mode.ACTIVE).window(Duration.ofMillis(100)).controller(new Stuck()).build();
    AtomicInteger permits = new AtomicInteger(SIZE);
    Resizable semaphore =
        Resizable.of("semaphore", new Bounds(MINIMUM, SIZE), permits::get, permits::set);
    ControlLoop semaphoreLoop =
        ControlLoop.tune(semaphore, new TaskMeter(Objective.throughput(), permits::get, () -> 0))
            .controller(new Halving())
            .window(WINDOW)
            .jmx(false)
            .start();
    AdaptiveExecutor usual =
        large("usual", new ResponseCurveController(Objective.throughput(), 0.03, PROCESSORS));
    AdaptiveExecutor paired =
        large("paired", CoordinatedPools.builder().processors(PROCESSORS).build().threads());
    // What needs memory comes before the heap is full; the first await links its code.
    Thread[] allocating = {new Thread(FullHeapMain::allocate), new Thread(FullHeapMain::allocate)};
    Condition shrunk =
        () ->
            limiter.size() == MINIMUM
                && executor.size() == MINIMUM
                && telling.size() == MINIMUM
                && stuck.size() == MINIMUM
                && permits.get() == MINIMUM
                && usual.size() <= CAREFUL
                && paired.size() <= CAREFUL;
    Condition free = FullHeapMain::hasRoom;
    String shrinking = "active pools shrink"; // A constant takes memory when it is first used.
    String freeing = "the heap is free again";
    await(() -> deciding, "the loop of a pool is in its turn");
    await(() -> !shrunk.holds(), "pools begin large");
    for (Thread thread : allocating) {
      thread.setDaemon(true);
      thread.start();
    }
    fill();
    filled = true;
    await(shrunk, shrinking);
    full = false;
    HEAP.clear();
    for (Thread thread : allocating) {
      thread.join();
    }
    await(free, freeing);
    for (AdaptiveLimiter other : unchanged) {
      require(other.size() == SIZE, other.control().mode() + ": " + other.size());
      other.close();
    }
    await(reported::get, "the fall is told");
    await(() -> stuck.control().lastStep().isPresent(), "the decision that took long is over");
    require(stuck.size() == MINIMUM, "the decision undid the fall: " + stuck.size());
    stuck.close();
    semaphoreLoop.close();
    usual.close();
    paired.close();
    limiter.close();
    executor.close();
    telling.close();
    System.out.println("passed");
  }

  /** A listener that needs no memory, so that it misses nothing while the heap is full. */
  private static ControlListener telling(String fall, AtomicBoolean reported) {
    return new ControlListener() {
      @Override
      public void onStep(Resizable pool, Step step) {
        if (step.explanation().startsWith(fall)) {
          reported.set(true);
        }
      }
    };
  }

  private static AdaptiveLimiter.Builder limiter(Mode mode) {
    return AdaptiveLimiter.builder(mode.toString())
        .bounds(MINIMUM, SIZE)
        .initialSize(SIZE)
        .mode(mode)
        .window(WINDOW)
        .jmx(false)
        .controller(new Halving());
  }

  private static AdaptiveExecutor large(String name, Controller controller) {
    return AdaptiveExecutor.builder(name)
        .bounds(MINIMUM, LARGE)
        .initialSize(LARGE)
        .window(WINDOW)
        .jmx(false)
        .controller(controller)
        .build();
  }

  private static void fill() {
    try {
      for (int size = 1 << 20; size >= 1 << 10; ) {
        try {
          HEAP.add(new byte[size]);
        } catch (OutOfMemoryError e) {
          size /= 2;
        }
      }
    } finally {
      for (int i = 0; i < 20; i++) { // So that the collector has work, and the rest of us room.
        HEAP.remove(HEAP.size() - 1);
      }
    }
  }

  /** A collector that runs beside the program frees the heap a moment later. */
  private static boolean hasRoom() {
    garbage = new byte[1 << 20];
    return true;
  }

  private static void allocate() {
    while (!filled) {
      Thread.onSpinWait();
    }
    while (full) {
      try {
        garbage = new byte[16_000];
      } catch (OutOfMemoryError e) {
        Thread.onSpinWait();
      }
    }
  }

  private interface Condition {
    boolean holds();
  }

  /** Waits without allocating anything: the heap may be full. */
  private static void await(Condition condition, String what) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
    while (!holds(condition)) {
      if (System.nanoTime() - deadline > 0) {
        full = false;
        HEAP.clear();
        require(false, "in vain: " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static boolean holds(Condition condition) {
    try {
      return condition.holds();
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      System.out.println("failed: " + message);
      System.exit(1);
    }
  }
}
