package io.poolkeeper.testbed.benchmarks.disk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.disk.Fio;
import io.poolkeeper.testbed.disk.probe.Access;
import io.poolkeeper.testbed.disk.probe.TestFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the same as a {@link io.poolkeeper.testbed.disk.probe.ThroughputMeter} with fio, on the
 * same file: pread and pwrite of threads at random places, which may come again, and fdatasync
 * after each synced write.
 */
final class FioMeter {

  private final TestFile file;
  private final Duration lead;
  private final Duration counted;

  /**
   * @param lead time at the beginning that is not counted
   * @param counted time after that
   */
  FioMeter(TestFile file, Duration lead, Duration counted) {
    this.file = file;
    this.lead = lead;
    this.counted = counted;
  }

  /**
   * Measures once.
   *
   * @return bytes per second
   * @throws IOException with the reason that fio gives, if it fails
   */
  double measure(Access access, int threads) throws IOException, InterruptedException {
    Process fio = Fio.start(options(access, threads));
    String output = Fio.output(fio);
    if (fio.waitFor() != 0) {
      throw new IOException("fio failed: " + Fio.problem(output));
    }
    return bytesPerSecond(output, access);
  }

  private List<String> options(Access access, int threads) throws IOException {
    List<String> options =
        new ArrayList<>(
            List.of(
                "--name=disk-fio",
                "--filename=" + file.path(),
                "--allow_file_create=0",
                "--size=" + file.bytes(),
                "--bs=" + file.blockBytes(),
                "--direct=" + (file.direct() ? 1 : 0),
                "--rw=" + (access == Access.READ ? "randread" : "randwrite"),
                "--norandommap",
                "--randrepeat=0",
                "--ioengine=psync",
                "--thread",
                "--numjobs=" + threads,
                "--group_reporting",
                "--time_based",
                "--ramp_time=" + lead.toMillis() + "ms",
                "--runtime=" + counted.toMillis() + "ms",
                "--output-format=json"));
    if (access == Access.SYNCED_WRITE) {
      options.add("--fdatasync=1");
    }
    return options;
  }

  /** Reads the output of fio: messages, if there are any, and then JSON. */
  static double bytesPerSecond(String output, Access access) throws IOException {
    int start = output.indexOf('{');
    JsonNode rate =
        new ObjectMapper()
            .readTree(start < 0 ? "{}" : output.substring(start))
            .path("jobs")
            .path(0)
            .path(access == Access.READ ? "read" : "write")
            .path("bw_bytes");
    if (!rate.isNumber()) {
      throw new IOException("fio tells no throughput: " + Fio.problem(output));
    }
    return rate.asDouble();
  }
}
