package io.poolkeeper.internal;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Counts the lines of the library's log about one pool until it is closed. Threads that other tests
 * have left behind may log about others.
 */
final class CountingLog extends Handler implements AutoCloseable {

  private final AtomicInteger lines = new AtomicInteger();
  private final String beginning;
  private final Logger logger = Logger.getLogger("io.poolkeeper");

  /**
   * @param pool name that the lines begin with
   */
  CountingLog(String pool) {
    beginning = pool + ": ";
    logger.addHandler(this);
  }

  int lines() {
    return lines.get();
  }

  @Override
  public void publish(LogRecord line) {
    if (line.getMessage().startsWith(beginning)) {
      lines.incrementAndGet();
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
