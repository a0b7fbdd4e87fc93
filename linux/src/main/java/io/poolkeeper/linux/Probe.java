package io.poolkeeper.linux;

/**
 * Reads one file of the kernel again and again, through a channel that stays open. For one thread
 * at a time.
 *
 * @param <T> content of the file
 */
public interface Probe<T> extends AutoCloseable {

  /** Reads the file anew. Never throws: where it cannot be read, the sample says why. */
  Sample<T> read();

  /** Closes the channel; later reads say so. */
  @Override
  void close();
}
