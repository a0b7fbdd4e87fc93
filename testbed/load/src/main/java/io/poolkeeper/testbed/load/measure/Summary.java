package io.poolkeeper.testbed.load.measure;

import io.poolkeeper.testbed.clients.record.ResponseTimes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Result of a run.
 *
 * @param start when it began, of {@link System#nanoTime}
 * @param end when the last request had ended, or the run was stopped
 * @param tally everything that was counted
 * @param schedule how it kept to its times; null for closed users, who have none
 * @param cpu CPU time that the process used, nanoseconds
 * @param threads load threads
 * @param bottleneck whether the generator itself may have limited the result
 * @param warnings what a reader of the result should know, one line each
 */
public record Summary(
    long start,
    long end,
    Tally tally,
    @Nullable Schedule schedule,
    long cpu,
    int threads,
    boolean bottleneck,
    List<String> warnings) {

  public double seconds() {
    return (end - start) / 1e9;
  }

  /** Successful requests per second. */
  public double throughput() {
    return end == start ? 0 : (tally.requests() - tally.errors()) / seconds();
  }

  /** The content of {@code load.json}. */
  public Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("start_ns", start);
    document.put("end_ns", end);
    document.put("requests", tally.requests());
    document.put("errors", tally.errors());
    document.put("errors_by_kind", tally.errorsByKind());
    document.put("unfinished", tally.unfinished());
    document.put("throughput", throughput());
    document.put("response", ResponseTimes.summary(tally.responses()));
    if (schedule != null) {
      document.put("schedule", schedule.document());
    }
    document.put("threads", threads);
    document.put("cpu_ns", cpu);
    document.put("cpu_share", end == start ? 0.0 : (double) cpu / (end - start) / threads);
    document.put("bottleneck", bottleneck);
    document.put("warnings", warnings);
    return document;
  }
}
