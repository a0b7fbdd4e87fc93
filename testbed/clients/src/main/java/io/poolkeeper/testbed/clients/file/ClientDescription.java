package io.poolkeeper.testbed.clients.file;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import java.util.List;
import java.util.Locale;

/**
 * Clients as a model file describes them.
 *
 * @param kind kind of the clients
 * @param clients clients for the simulator
 * @param line their line in the file
 */
public record ClientDescription(Kind kind, Clients clients, int line) {

  /** Ways in which clients come and go. */
  public enum Kind {
    /** A number of users, each waiting for an answer before the next request. */
    CLOSED,
    /** Requests that arrive at a rate. */
    OPEN,
    /** Sessions that arrive at a rate, each sending one request after the other. */
    HALF_OPEN;

    /** Returns the name in files. */
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
