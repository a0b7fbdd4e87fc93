package io.poolkeeper.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import io.poolkeeper.Mode;
import org.jspecify.annotations.Nullable;

/** Pools of a running program as the data of a page, which can change them. */
final class RunningPools implements PageData {

  private final WatchedPools pools;
  private final EventStreams streams;

  RunningPools(WatchedPools pools) {
    this.pools = pools;
    streams = new EventStreams(pools);
  }

  @Override
  public @Nullable Object answer(String route, String name, JsonNode body) {
    return switch (route) {
      case "GET /api/pools" -> PoolView.list(pools.all());
      case "GET /api/pool" -> pools.find(name).map(PoolView::whole).orElse(null);
      case "GET /api/record" ->
          pools
              .find(name)
              .map(pool -> Download.of(pool.record().archive(pool.pool(), pool.loop())))
              .orElse(null);
      case "POST /api/pool" ->
          pools
              .find(name)
              .map(
                  pool -> {
                    change(pool, body);
                    return PoolView.whole(pool);
                  })
              .orElse(null);
      default -> null;
    };
  }

  @Override
  public boolean stream(HttpExchange exchange, String name) {
    return streams.open(exchange, name);
  }

  @Override
  public void close() {
    streams.close();
  }

  private static void change(WatchedPool pool, JsonNode wanted) {
    String action = wanted.path("action").asText();
    switch (action) {
      case "mode" -> pool.mode(Mode.of(wanted.path("mode").asText()));
      case "bounds" -> pool.bounds(whole(wanted, "min"), whole(wanted, "max"));
      case "pin" -> pool.pin(whole(wanted, "size"), whole(wanted, "minutes"));
      case "roll back" -> pool.rollBack();
      default ->
          throw new IllegalArgumentException(
              "action must be mode, bounds, pin or roll back, but is '" + action + "'");
    }
  }

  private static int whole(JsonNode wanted, String field) {
    JsonNode value = wanted.path(field);
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw new IllegalArgumentException(
          "%s must be a whole number, but is %s"
              .formatted(field, value.isMissingNode() ? "missing" : value));
    }
    return value.intValue();
  }
}
