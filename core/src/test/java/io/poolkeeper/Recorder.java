package io.poolkeeper;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A listener that keeps what it hears, and who called it. */
class Recorder implements ControlListener {

  final List<String> events = new CopyOnWriteArrayList<>();
  final List<Window> windows = new CopyOnWriteArrayList<>();
  final List<Step> steps = new CopyOnWriteArrayList<>();
  final List<Hang> hangs = new CopyOnWriteArrayList<>();
  final List<Thread> threads = new CopyOnWriteArrayList<>();
  volatile @Nullable Bounds bounds;
  private volatile boolean interrupted;

  @Override
  public void onWindow(Resizable pool, Window window) {
    windows.add(window);
    heard("window");
  }

  @Override
  public void onStep(Resizable pool, Step step) {
    steps.add(step);
    heard("step");
  }

  @Override
  public void onHang(Resizable pool, Hang hang) {
    hangs.add(hang);
    heard("hang");
  }

  @Override
  public void onBounds(Resizable pool, Bounds changed) {
    bounds = changed;
  }

  @Override
  public void onClose(Resizable pool) {
    heard("close");
  }

  void heard(String event) {
    events.add(event);
    threads.add(Thread.currentThread());
    interrupted |= Thread.currentThread().isInterrupted();
  }

  /** Returns whether a call saw the interrupt flag. */
  boolean interrupted() {
    return interrupted;
  }

  Step lastStep() {
    return steps.get(steps.size() - 1);
  }
}
