package io.poolkeeper.record;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Warnings that the package logs while this is open. */
final class Warnings extends Handler implements AutoCloseable {

  private final Logger logger = Logger.getLogger("io.poolkeeper.record");
  private final List<String> messages = new CopyOnWriteArrayList<>();

  Warnings() {
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  List<String> messages() {
    return messages;
  }

  @Override
  public void publish(LogRecord logged) {
    messages.add(logged.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
