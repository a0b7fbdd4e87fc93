package io.poolkeeper.internal;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Counts the lines of the library's log until it is closed. */
final class CountingLog extends Handler implements AutoCloseable {

  private final AtomicInteger lines = new AtomicInteger();
  private final Logger logger = Logger.getLogger("io.poolkeeper");

  CountingLog() {
    logger.addHandler(this);
  }

  int lines() {
    return lines.get();
  }

  @Override
  public void publish(LogRecord line) {
    lines.incrementAndGet();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
