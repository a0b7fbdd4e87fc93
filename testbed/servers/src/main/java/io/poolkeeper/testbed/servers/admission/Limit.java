package io.poolkeeper.testbed.servers.admission;

import io.poolkeeper.testbed.servers.admission.Admission.Permit;
import org.jspecify.annotations.Nullable;

/** A limit on what runs at once that measures nothing for others. */
public interface Limit {

  /** Takes a permit; null if the limit is reached. */
  @Nullable Permit tryAcquire();

  /** The limit in force. */
  int value();

  /** The state of the limit in words, for the log of decisions. */
  String reason();
}
