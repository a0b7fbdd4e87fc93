package io.poolkeeper.console;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Pages that are open: each has a thread, which sends what is new twice a second. A page that takes
 * nothing until the {@linkplain AnswerDeadline deadline} is cut off, and nothing is kept for it
 * meanwhile.
 */
final class EventStreams implements AutoCloseable {

  /** Pages that may be open at a time. */
  static final int LARGEST = 16;

  private static final long PERIOD = 500_000_000;
  private static final byte[] START = "data: ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] END = "\n\n".getBytes(StandardCharsets.US_ASCII);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final WatchedPools pools;
  private final Set<Stream> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  EventStreams(WatchedPools pools) {
    this.pools = pools;
  }

  /** Begins to send to a page, on a thread of its own; false if too many are open. */
  synchronized boolean open(HttpExchange exchange, String name) {
    if (closed || open.size() >= LARGEST) {
      return false;
    }
    Stream stream = new Stream(exchange, name);
    open.add(stream);
    stream.thread.start();
    return true;
  }

  /** Ends the streams; the server closes their connections. */
  @Override
  public void close() {
    closed = true;
    open.forEach(stream -> LockSupport.unpark(stream.thread));
  }

  private final class Stream implements Runnable {

    private final HttpExchange exchange;
    private final String name;
    private final Thread thread = new Thread(this, "poolkeeper-console-page");
    private PoolHistory.News seen = PoolHistory.News.NONE;

    Stream(HttpExchange exchange, String name) {
      this.exchange = exchange;
      this.name = name;
      thread.setDaemon(true);
    }

    @Override
    public void run() {
      try (exchange) {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        OutputStream body = exchange.getResponseBody();
        while (!closed) {
          write(body);
          LockSupport.parkNanos(PERIOD);
        }
      } catch (IOException e) {
        System.getLogger("io.poolkeeper.console")
            .log(DEBUG, "a page was closed: {0}", e.getMessage());
      } catch (RuntimeException e) { // Of a pool of the user's.
        System.getLogger("io.poolkeeper.console")
            .log(closed ? DEBUG : WARNING, "the stream of a page ended: {0}", e.toString());
      } finally {
        open.remove(this);
      }
    }

    private void write(OutputStream body) throws IOException {
      Map<String, Object> event = new LinkedHashMap<>(PoolView.list(pools.all()));
      Optional<WatchedPool> pool = pools.find(name);
      if (pool.isPresent()) {
        seen = pool.get().history().news(seen.windowsSeen(), seen.decisionsSeen());
        event.put("news", seen);
        event.put("audit", pool.get().audit());
      }
      byte[] news = JSON.writeValueAsBytes(event);
      AnswerDeadline.send(
          () -> {
            body.write(START);
            body.write(news);
            body.write(END);
            body.flush();
          });
    }
  }
}
