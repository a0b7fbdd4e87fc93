package io.poolkeeper.testbed.applications;

/** Answers requests, one on each calling thread, as many at once as there are threads. */
public interface Application extends AutoCloseable {

  /**
   * Does the work of one request on the calling thread, which may block.
   *
   * @return the answer, text for a person
   * @throws Exception if there is none; the application serves on
   */
  String answer() throws Exception;

  /** Gives back what the application holds. */
  @Override
  default void close() {}
}
