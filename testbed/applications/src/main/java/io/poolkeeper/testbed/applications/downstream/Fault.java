package io.poolkeeper.testbed.applications.downstream;

import java.util.Arrays;
import java.util.Locale;

/** Faults of the downstream server. All of its paths have the same. */
public enum Fault {
  /** Serves as its profiles say. */
  NONE,
  /** Closes its connections and its port: who connects is refused. */
  REFUSE,
  /** Takes requests and does not answer; those are served once the fault ends. */
  HANG,
  /** Answers a request with a reset of its connection. */
  RESET,
  /** Writes an answer byte by byte, with pauses. */
  DRIP;

  /**
   * Reads a fault by its name, in small letters.
   *
   * @throws IllegalArgumentException naming the text
   */
  static Fault of(String text) {
    return Arrays.stream(values())
        .filter(fault -> fault.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "fault must be none, refuse, hang, reset or drip, but is '" + text + "'"));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
