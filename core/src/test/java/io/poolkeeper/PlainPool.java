package io.poolkeeper;

/** A pool that only has a size, and whose windows are as a test makes them. */
final class PlainPool implements Resizable, Sensor {

  private final Bounds bounds;
  private long start;
  volatile int size;
  volatile int resizes;
  volatile long completions = 100;
  volatile int queueMax;
  volatile long gc;

  PlainPool(int minimum, int size, int maximum, long start) {
    this.bounds = new Bounds(minimum, maximum);
    this.size = size;
    this.start = start;
  }

  @Override
  public String name() {
    return "plain";
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread at a time.
  public void resize(int wanted) {
    size = bounds.require("size", wanted);
    resizes++;
  }

  @Override
  public Window closeWindow(long now) {
    Window window =
        Window.builder(start, now, size)
            .busy(size)
            .queue(queueMax, queueMax)
            .completions(completions)
            .gc(gc)
            .build();
    start = now;
    return window;
  }
}
