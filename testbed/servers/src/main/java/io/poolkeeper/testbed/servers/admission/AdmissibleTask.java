package io.poolkeeper.testbed.servers.admission;

/** Work that knows whether it failed, and that can be refused after it was taken. */
public interface AdmissibleTask extends Runnable {

  /** Whether the run that has ended was a failure. */
  boolean failed();

  /** Ends the work without a run. */
  void refuse();
}
