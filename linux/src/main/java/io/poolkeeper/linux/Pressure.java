package io.poolkeeper.linux;

import java.util.Optional;

/**
 * Pressure stall information (PSI): the share of the time in which tasks waited for a resource.
 *
 * @param some at least one task waited
 * @param full all tasks waited that had something to do; empty where the kernel does not tell, as
 *     for processors
 */
public record Pressure(Stall some, Optional<Stall> full) {

  /** Resource that tasks wait for. */
  public enum Resource {
    CPU("cpu"),
    IO("io"),
    MEMORY("memory");

    private final String file;

    Resource(String file) {
      this.file = file;
    }

    String file() {
      return file;
    }
  }

  /**
   * Share of the time in which tasks stalled.
   *
   * @param last10Seconds mean over the last 10 s, from 0 to 1
   * @param last60Seconds mean over the last minute
   * @param last300Seconds mean over the last five minutes
   * @param totalNanos sum since the start of the machine, in steps of a microsecond
   */
  public record Stall(
      double last10Seconds, double last60Seconds, double last300Seconds, long totalNanos) {}

  static Pressure parse(Fields fields) {
    fields.expect("some");
    Stall some = stall(fields);
    if (!fields.hasMore()) {
      return new Pressure(some, Optional.empty());
    }
    fields.expect("full");
    return new Pressure(some, Optional.of(stall(fields)));
  }

  private static Stall stall(Fields fields) {
    return new Stall(
        fields.decimal("avg10=") / 100,
        fields.decimal("avg60=") / 100,
        fields.decimal("avg300=") / 100,
        fields.counter("total=") * 1000);
  }
}
