package io.poolkeeper.internal.loop;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.internal.Log;
import io.poolkeeper.internal.heap.HeapRelief;
import java.time.Duration;

/**
 * A run of a loop with the default controller on a simulated pool. The virtual machine loads and
 * links code when it first runs. In a full heap that fails, for some classes of the library and the
 * JDK permanently: no loop of the process would ever decide again.
 */
public final class LoopRehearsal {

  private static final long WINDOW = 500_000_000;
  private static final int WINDOWS = 6;
  private static final int USERS = 100;

  private static volatile boolean done;

  private LoopRehearsal() {}

  /** Runs once in a process, on the thread that starts the first loop in real time. */
  public static void ensure() {
    if (!done) {
      done = run();
    }
  }

  /** Returns whether the run reached a decision; a run without memory must be repeated. */
  static boolean run() {
    Log.load();
    Pool pool = new Pool();
    Controller controller = Controllers.responseCurve();
    Runnable[] tick = new Runnable[1];
    ControlLoop loop =
        ControlLoop.tune(pool)
            .controller(controller)
            .window(Duration.ofNanos(WINDOW))
            .ticker(pool::time)
            .timer(
                (name, interval, call) -> {
                  tick[0] = call;
                  return () -> {};
                })
            .jmx(false)
            .quiet()
            .start();
    for (int i = 0; i < WINDOWS; i++) {
      pool.time += WINDOW;
      pool.collecting = i == WINDOWS / 2;
      tick[0].run();
    }
    HeapRelief relief =
        new HeapRelief(pool, controller, pool::time, () -> false, pool::bounds, true);
    relief.ask(1, 0);
    loop.close();
    return loop.lastStep().filter(step -> step.action() != Action.FAILED).isPresent();
  }

  /** Tasks of 20 ms that slow each other down, and once a collector that takes all the time. */
  private static final class Pool implements Resizable, Sensor {
    private int size = 16;
    private long time;
    private long start;
    private boolean collecting;

    long time() {
      return time;
    }

    @Override
    public String name() {
      return "rehearsal";
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public Bounds bounds() {
      return new Bounds(1, 64);
    }

    @Override
    public void resize(int size) {
      this.size = size;
    }

    @Override
    public Window closeWindow(long now) {
      long completions = Math.round(25.0 * size / (1 + 0.03 * size));
      Window window =
          Window.builder(start, now, size)
              .busy(size)
              .queue(USERS - size, USERS - size)
              .completions(completions)
              .cpu(1_000_000 * completions, 1_000_000 * completions)
              .gc(collecting ? now - start : 0)
              .build();
      start = now;
      return window;
    }
  }
}
