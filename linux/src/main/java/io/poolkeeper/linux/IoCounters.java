package io.poolkeeper.linux;

/**
 * Input and output of a thread or a process, from the file {@code io}.
 *
 * <p>{@code readChars} and {@code writtenChars} count the bytes of read and write calls, from the
 * page cache or not. They count sockets, pipes and wake-ups too, and no memory-mapped files.
 *
 * @param readChars bytes that read calls returned (rchar)
 * @param writtenChars bytes that write calls took (wchar)
 * @param readCalls read calls (syscr)
 * @param writeCalls write calls (syscw); a call to fsync is none
 * @param readBytes bytes fetched from a device
 * @param writtenBytes bytes that made pages dirty, which go to a device later
 */
public record IoCounters(
    long readChars,
    long writtenChars,
    long readCalls,
    long writeCalls,
    long readBytes,
    long writtenBytes) {

  /** Counters of nothing. */
  public static final IoCounters NONE = new IoCounters(0, 0, 0, 0, 0, 0);

  static IoCounters parse(Fields fields) {
    return new IoCounters(
        fields.counter("rchar:"),
        fields.counter("wchar:"),
        fields.counter("syscr:"),
        fields.counter("syscw:"),
        fields.counter("read_bytes:"),
        fields.counter("write_bytes:"));
  }

  /**
   * Returns the change since an earlier reading of the same counters; one that passed 2^64 counts
   * on from 0. Missing if a counter went back, as the counters are then those of another thread.
   */
  public Sample<IoCounters> since(IoCounters earlier) {
    IoCounters change =
        new IoCounters(
            readChars - earlier.readChars,
            writtenChars - earlier.writtenChars,
            readCalls - earlier.readCalls,
            writeCalls - earlier.writeCalls,
            readBytes - earlier.readBytes,
            writtenBytes - earlier.writtenBytes);
    boolean wentBack =
        (change.readChars
                | change.writtenChars
                | change.readCalls
                | change.writeCalls
                | change.readBytes
                | change.writtenBytes)
            < 0;
    return wentBack
        ? Sample.missing("a counter went back: these are the counters of another thread")
        : Sample.of(change);
  }

  /** Adds other counters. */
  public IoCounters plus(IoCounters other) {
    return new IoCounters(
        readChars + other.readChars,
        writtenChars + other.writtenChars,
        readCalls + other.readCalls,
        writeCalls + other.writeCalls,
        readBytes + other.readBytes,
        writtenBytes + other.writtenBytes);
  }

  /** Bytes of read and write calls: what the disk controller maximises per second. */
  public long logicalBytes() {
    return readChars + writtenChars;
  }

  /** Read and write calls. */
  public long calls() {
    return readCalls + writeCalls;
  }
}
