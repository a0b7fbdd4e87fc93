package io.poolkeeper.testbed.clients.random;

import java.util.Arrays;

/**
 * The requests of a session that its client can go back to, by number, the latest last. Holds
 * {@link #MOST}; further ones take the place of the oldest.
 */
public final class RequestHistory {

  /** Requests at most. A session that never ends would otherwise fill the memory. */
  static final int MOST = 100;

  private static final int FIRST_ROOM = 8;

  private int[] requests = new int[FIRST_ROOM];
  private int size;

  /** Whether there is nothing to go back to. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Number of requests that one can go back. */
  int size() {
    return size;
  }

  /** Adds the request that the client leaves for another one. */
  void push(int request) {
    if (size == MOST) {
      System.arraycopy(requests, 1, requests, 0, --size);
    } else if (size == requests.length) {
      requests = Arrays.copyOf(requests, Math.min(MOST, 2 * size));
    }
    requests[size++] = request;
  }

  /** Returns the latest request, and forgets it. */
  int pop() {
    return requests[--size];
  }

  /** Forgets all: another session begins. */
  public void clear() {
    size = 0;
  }
}
