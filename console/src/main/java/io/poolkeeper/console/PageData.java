package io.poolkeeper.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import org.jspecify.annotations.Nullable;

/** The data behind a page: pools that run, or a record of some. */
interface PageData extends AutoCloseable {

  /**
   * Returns the answer to a request: a {@link Download}, or what is to be written as JSON; null if
   * there is nothing there.
   *
   * @param route method and path, such as {@code GET /api/pools}
   * @param name pool that the request names; empty if none
   * @param body of a request that changes something, else an object without fields
   * @throws IllegalArgumentException with the message to the client if the request is wrong
   */
  @Nullable Object answer(String route, String name, JsonNode body);

  /**
   * Begins to send what is new about a pool, on a thread of its own; false if that cannot be.
   *
   * @param exchange closed by that thread
   */
  boolean stream(HttpExchange exchange, String name);

  /** Ends the streams. */
  @Override
  void close();
}
