package io.poolkeeper.undertow;

import io.poolkeeper.AdaptiveExecutor;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.AttachmentKey;
import java.util.Objects;

/**
 * A handler that runs another one on an {@link AdaptiveExecutor}, in place of the task threads of
 * Undertow's XNIO worker.
 *
 * <pre>{@code
 * var pool = AdaptiveExecutor.builder("requests").build();
 * builder.setHandler(new AdaptiveDispatchHandler(pool, new BlockingHandler(application)));
 * }</pre>
 *
 * <p>A task is the call of the handler; Undertow catches what it throws, so tasks do not fail. A
 * request is handed to the pool once, also where another handler has dispatched it to Undertow's
 * worker before; a handler that dispatches again from a thread of the pool goes to that worker. The
 * pool is the caller's: close it after the server has stopped.
 */
public final class AdaptiveDispatchHandler implements HttpHandler {

  /** Marks exchanges that were handed to a pool. */
  private static final AttachmentKey<Boolean> HANDED_OVER = AttachmentKey.create(Boolean.class);

  private final AdaptiveExecutor pool;
  private final HttpHandler next;

  /** Runs {@code next} on the pool. */
  public AdaptiveDispatchHandler(AdaptiveExecutor pool, HttpHandler next) {
    this.pool = Objects.requireNonNull(pool, "pool must not be null");
    this.next = Objects.requireNonNull(next, "next must not be null");
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) throws Exception {
    if (exchange.putAttachment(HANDED_OVER, true) == null) {
      exchange.dispatch(pool, next);
    } else {
      next.handleRequest(exchange);
    }
  }
}
