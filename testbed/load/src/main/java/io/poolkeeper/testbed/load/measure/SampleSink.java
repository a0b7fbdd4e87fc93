package io.poolkeeper.testbed.load.measure;

import io.poolkeeper.testbed.load.http.Sample;
import java.util.List;

/** Takes every single request that has ended; safe to call from several threads. */
@FunctionalInterface
public interface SampleSink {

  /**
   * Takes samples, which the caller does not touch again; may wait while too many are there.
   *
   * @param warmUp whether they are counted in the warm-up, and not in what is measured
   */
  void write(List<Sample> samples, boolean warmUp);
}
