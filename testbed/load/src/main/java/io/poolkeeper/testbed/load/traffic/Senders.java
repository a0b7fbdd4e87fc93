package io.poolkeeper.testbed.load.traffic;

/** Makes the senders of clients, who are numbered from 0 in the whole load. */
@FunctionalInterface
public interface Senders {

  /** A sender that tells {@code listener} of the ends of its requests. */
  Sender open(int client, Sender.Listener listener);
}
