package io.poolkeeper;

import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands until it is moved, a loop that turns when it is told, and its windows. */
final class VirtualLoop implements Ticker, LoopTimer, ControlListener {

  private final AtomicLong now = new AtomicLong(1_000_000_000);
  private final List<Window> windows = new ArrayList<>();
  private Runnable tick = () -> {};

  @Override
  public long nanoTime() {
    return now.get();
  }

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    this.tick = tick;
    return () -> {};
  }

  @Override
  public void onWindow(Resizable pool, Window window) {
    windows.add(window);
  }

  /** Begins the description of a loop in this time. */
  ControlLoop.Builder tune(PlainPool pool, Controller controller) {
    return tune(pool, pool, controller);
  }

  /** Begins the description of a loop of a pool that a separate sensor measures. */
  ControlLoop.Builder tune(PlainPool pool, Sensor sensor, Controller controller) {
    return ControlLoop.tune(pool, sensor)
        .controller(controller)
        .jmx(false)
        .ticker(this)
        .timer(this)
        .listener(this);
  }

  /** Ends a window after a second. */
  void second() {
    pass(1000);
    close();
  }

  void pass(long millis) {
    now.addAndGet(millis * 1_000_000);
  }

  /** Puts the clock forward or back. */
  void jump(long nanos) {
    now.addAndGet(nanos);
  }

  void tick() {
    tick.run();
  }

  /** Ends the window. */
  Window close() {
    tick();
    return windows.get(windows.size() - 1);
  }

  List<Window> windows() {
    return windows;
  }
}
