package io.poolkeeper.testbed.commands;

/** Numbers of things in messages. */
public final class Plurals {

  private Plurals() {}

  /** A number of things: {@code 1 worker}, {@code 2 workers}. */
  public static String count(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }
}
