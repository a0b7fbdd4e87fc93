package io.poolkeeper.examples.springboot;

import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Orders over HTTP. */
@RestController
class Orders {

  private final JdbcTemplate jdbc;
  private final Prices prices;

  Orders(JdbcTemplate jdbc, Prices prices) {
    this.jdbc = jdbc;
    this.prices = prices;
  }

  /** Returns an order: its article from the database, its price from the other service. */
  @GetMapping("/orders/{id}")
  Map<String, Object> order(@PathVariable int id) {
    String article =
        jdbc.queryForObject("select article from orders where id = ?", String.class, id % 1000);
    return Map.of("id", id, "article", String.valueOf(article), "price", prices.of(id));
  }
}
