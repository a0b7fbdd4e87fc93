package io.poolkeeper;

import java.util.Optional;

/**
 * Input and output of the workers of a pool in one window. If it could not be measured, {@code
 * problem} is the reason and the numbers mean nothing.
 *
 * @param logicalBytes bytes of read and write calls, from the page cache or not; sockets and pipes
 *     count as well
 * @param readBytes bytes fetched from a device
 * @param writtenBytes bytes that made pages dirty, which are written to a device later
 * @param calls read and write calls
 * @param blocked mean number of workers that waited for a device; NaN if unknown
 * @param source origin of {@code blocked}
 * @param changes workers that started or left in the window
 * @param problem the reason why nothing was measured, empty if it was
 */
public record DiskStats(
    long logicalBytes,
    long readBytes,
    long writtenBytes,
    long calls,
    double blocked,
    BlockedSource source,
    int changes,
    Optional<String> problem) {

  /** Origin of the number of blocked workers. */
  public enum BlockedSource {
    /** The kernel accounts the delay of every thread. */
    DELAY_ACCOUNTING("delay-accounting"),
    /** The state of some workers was sampled when the window closed. */
    STATE_SAMPLES("state-samples"),
    /** Unknown. */
    NONE("none");

    private final String text;

    BlockedSource(String text) {
      this.text = text;
    }

    /** Returns the name in records, such as {@code state-samples}. */
    @Override
    public String toString() {
      return text;
    }
  }

  /** Stats of a pool without a disk sensor. */
  public static final DiskStats NOT_MEASURED = missing("the pool has no disk sensor");

  /** Returns stats of a window in which nothing could be measured. */
  public static DiskStats missing(String reason) {
    return new DiskStats(0, 0, 0, 0, Double.NaN, BlockedSource.NONE, 0, Optional.of(reason));
  }

  /** Returns whether the numbers were measured. */
  public boolean measured() {
    return problem.isEmpty();
  }
}
