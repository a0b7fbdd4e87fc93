package io.poolkeeper.testbed.load.traffic;

import io.poolkeeper.testbed.load.description.Request;

/**
 * Sends one request after the other. This is the border between who wants to send what and when,
 * which knows nothing of sockets, and how that is done and measured.
 */
public interface Sender {

  /** Learns the ends of the requests of one sender. */
  interface Listener {

    /**
     * The request has ended, and another may be sent at once.
     *
     * @param answered false if there was no valid HTTP answer at all
     * @param now what {@link System#nanoTime} says
     */
    void ended(boolean answered, long now);
  }

  /**
   * Sends a request, connecting first if there is no connection. The one before must have ended.
   * The listener may be called before this returns.
   *
   * @param start its intended start, from when its response time counts
   * @param now what {@link System#nanoTime} says
   */
  void send(Request request, long start, long now);

  /** Closes the connection, if there is one. No request may be under way. */
  void close();
}
