package io.poolkeeper.testbed.ntier.web;

import java.sql.SQLException;

/**
 * Something that users do, at a URL of its own.
 *
 * @param name its path, without the slash
 * @param method GET, or POST for what changes data or takes a password
 */
public record Interaction(String name, String method, Handler handler) {

  /** Makes pages. */
  @FunctionalInterface
  public interface Handler {

    /**
     * Returns a page.
     *
     * @throws Refusal if the request cannot be met
     * @throws SQLException if the database fails
     */
    String page(Call call) throws SQLException;
  }

  /** An interaction that only reads. */
  public static Interaction get(String name, Handler handler) {
    return new Interaction(name, "GET", handler);
  }

  /** An interaction that changes data or takes a password. */
  public static Interaction post(String name, Handler handler) {
    return new Interaction(name, "POST", handler);
  }
}
