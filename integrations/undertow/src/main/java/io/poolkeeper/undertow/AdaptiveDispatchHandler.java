package io.poolkeeper.undertow;

import io.poolkeeper.AdaptiveExecutor;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;

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
 * handler that dispatches again from a thread of the pool goes to Undertow's worker. The pool is
 * the caller's: close it after the server has stopped.
 */
public final class AdaptiveDispatchHandler implements HttpHandler {

  private final AdaptiveExecutor pool;
  private final HttpHandler next;

  /** Runs {@code next} on the pool. */
  public AdaptiveDispatchHandler(AdaptiveExecutor pool, HttpHandler next) {
    this.pool = pool;
    this.next = next;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) throws Exception {
    if (exchange.isInIoThread()) {
      exchange.dispatch(pool, next);
    } else {
      next.handleRequest(exchange);
    }
  }
}
