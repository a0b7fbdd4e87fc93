package io.poolkeeper.spring;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Messages of the starter to the log, while it is open. */
final class Messages implements AutoCloseable {

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.poolkeeper.spring");
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  Messages() {
    logger.setLevel(Level.INFO);
    appender.start();
    logger.addAppender(appender);
  }

  List<String> all() {
    return List.copyOf(appender.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
  }
}
