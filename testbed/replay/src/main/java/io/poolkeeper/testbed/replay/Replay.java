package io.poolkeeper.testbed.replay;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.record.PoolDecision;
import io.poolkeeper.spi.LoopTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A control loop of the library, with a recorded run in place of pool, sensor, clock and timer:
 * what it decides is what it would have decided there, bounds and modes included.
 *
 * <p>The windows are what they are. The size in force at each is the recorded one, whatever was
 * decided on the window before.
 */
final class Replay implements Resizable, Sensor, ControlListener, LoopTimer {

  private final Recording.Pool pool;
  private final Bounds bounds;
  private final List<Answer> answers = new ArrayList<>();
  private Runnable tick = () -> {};
  private RecordedWindow window;

  private Replay(Recording.Pool pool, Bounds bounds) {
    this.pool = pool;
    this.bounds = bounds;
    window = pool.windows().get(0);
  }

  /** Asks the controller about each window; the answers are as many. */
  static List<Answer> run(Recording.Pool pool, Controller controller, Bounds bounds) {
    if (pool.windows().isEmpty()) {
      return List.of();
    }
    Replay replay = new Replay(pool, bounds);
    ControlLoop loop =
        ControlLoop.tune(replay)
            .controller(controller)
            .window(interval(replay.window.window()))
            .jmx(false)
            .quiet()
            .ticker(() -> replay.window.window().end())
            .timer(replay)
            .listener(replay)
            .start();
    for (RecordedWindow next : pool.windows()) {
      replay.window = next;
      loop.mode(next.mode());
      replay.tick.run();
    }
    loop.close();
    return List.copyOf(replay.answers);
  }

  /** Length of a window, against which the loop holds the others. */
  private static Duration interval(Window window) {
    return Duration.ofNanos(Math.max(1_000_000, window.end() - window.start()));
  }

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    this.tick = tick;
    return () -> {};
  }

  @Override
  public Window closeWindow(long now) {
    return window.window();
  }

  @Override
  public void onStep(Resizable resized, Step step) {
    answers.add(new Answer(window, PoolDecision.of(this, step)));
  }

  @Override
  public String name() {
    return pool.name();
  }

  @Override
  public int size() {
    return window.size();
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    // The next window has the size that was recorded.
  }
}
