package io.poolkeeper.spi;

/** Words of reasons and messages. */
public final class Words {

  private Words() {}

  /** A number of things: {@code 1 worker}, {@code 2 workers}. */
  public static String count(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }
}
