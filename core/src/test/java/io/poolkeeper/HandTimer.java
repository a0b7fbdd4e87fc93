package io.poolkeeper;

import io.poolkeeper.spi.LoopTimer;
import java.time.Duration;

/** A timer that calls when the test says so. */
final class HandTimer implements LoopTimer {

  private volatile Runnable call = () -> {};

  @Override
  public Stop start(String name, Duration interval, Runnable tick) {
    call = tick;
    return () -> {};
  }

  void tick() {
    call.run();
  }
}
