package io.poolkeeper.testbed.clients.file;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import java.util.List;
import java.util.Locale;

/**
 * Clients as a model file describes them.
 *
 * @param kind which
 * @param clients what the simulator plays
 * @param line where they stand in the file
 */
public record Played(Kind kind, Clients clients, int line) {

  /** Ways in which clients come and go. */
  public enum Kind {
    /** A number of users, each waiting for an answer before the next request. */
    CLOSED,
    /** Requests that arrive at a rate. */
    OPEN,
    /** Sessions that arrive at a rate, each sending one request after the other. */
    HALF_OPEN;

    /** The word for it in files. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Phases, at least one. */
  public List<Phase> phases() {
    return clients.phases();
  }
}
