package io.poolkeeper.record;

import io.poolkeeper.DiskStats;
import io.poolkeeper.DiskStats.BlockedSource;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the windows of a run record, for a replay or for an analysis in Java.
 *
 * <p>Columns are found by name, so their order means nothing and unknown ones are ignored. A last
 * line that was cut off is ignored with a warning. Windows of the warm-up are among the rest; leave
 * out what ended before {@code start_monotonic_ns} of {@code run.json}.
 */
public final class WindowReader {

  /** The latest version of the run record that this reader knows. */
  public static final int VERSION = RecordFolder.VERSION;

  /**
   * A window and the pool that it was measured on.
   *
   * @param pool name of the pool
   * @param window the window; in a record without the counts of time statistics, which older ones
   *     are, each is the number of tasks that ended
   */
  public record PoolWindow(String pool, Window window) {}

  private WindowReader() {}

  /**
   * The windows in {@code windows.csv} of a folder, in the order of the file, which is that of time
   * for each pool. A {@code run.json} beside it must be of a version that this reader knows;
   * without one it is taken for the latest.
   *
   * @throws IOException if a file cannot be read; naming the file and the version if that is a
   *     later one, the column that is missing, or the line that is wrong
   */
  public static List<PoolWindow> read(Path folder) throws IOException {
    RecordFolder run = new RecordFolder(folder);
    run.readRun(); // For its version.
    Path file = run.file(RecordFolder.WINDOWS);
    List<String> lines = run.wholeLines(RecordFolder.WINDOWS);
    if (lines.isEmpty()) {
      throw new IOException(file + ": not even a header");
    }
    Header header = new Header(file, lines.get(0));
    List<PoolWindow> windows = new ArrayList<>(lines.size() - 1);
    Map<String, Long> ends = new HashMap<>();
    for (int i = 1; i < lines.size(); i++) {
      Row row = header.row(i + 1, lines.get(i));
      PoolWindow read = window(row);
      requireAfter(ends.put(read.pool(), read.window().end()), read.window(), row);
      windows.add(read);
    }
    return windows;
  }

  /** A pool's windows follow each other; a line that is there twice, or elsewhere, does not. */
  private static void requireAfter(@Nullable Long end, Window window, Row row) throws IOException {
    if (window.end() < window.start()) {
      throw row.wrong("end_ns is before start_ns");
    }
    if (end != null && window.start() < end) {
      throw row.wrong("start_ns is before the end of the pool's window before it");
    }
  }

  private static PoolWindow window(Row row) throws IOException {
    long ended = row.whole("completions") + row.whole("failures");
    Window window =
        Window.builder(row.instant("start_ns"), row.instant("end_ns"), row.size("size"))
            .busy(row.decimal("busy"))
            .queue(row.decimal("queue_mean"), row.size("queue_max"))
            .arrivals(row.whole("arrivals"))
            .completions(row.whole("completions"))
            .failures(row.whole("failures"))
            .rejections(row.whole("rejections"))
            .withinBound(row.whole("within_bound"))
            .times(
                times(row, "wait", ended),
                times(row, "service", ended),
                times(row, "response", ended))
            .cpu(row.measured("worker_cpu_ns"), row.measured("process_cpu_ns"))
            .gc(row.measured("gc_ns"))
            .disk(disk(row))
            .queuedByWorkers(row.measured("queued_by_workers"))
            .build();
    return new PoolWindow(row.text("pool"), window);
  }

  private static DiskStats disk(Row row) throws IOException {
    if (row.text("disk_logical_bytes").isEmpty()) {
      return DiskStats.NOT_MEASURED;
    }
    return new DiskStats(
        row.whole("disk_logical_bytes"),
        row.whole("disk_read_bytes"),
        row.whole("disk_written_bytes"),
        row.whole("disk_calls"),
        row.decimal("disk_blocked"),
        blockedSource(row),
        row.size("disk_worker_changes"),
        Optional.empty());
  }

  private static BlockedSource blockedSource(Row row) throws IOException {
    String text = row.text("disk_blocked_source");
    for (BlockedSource source : BlockedSource.values()) {
      if (source.toString().equals(text)) {
        return source;
      }
    }
    throw row.wrong("disk_blocked_source is unknown: '" + text + "'");
  }

  private static TimeStats times(Row row, String prefix, long ended) throws IOException {
    if (row.text(prefix + "_p50_ns").isEmpty()) {
      return TimeStats.EMPTY;
    }
    String counted = prefix + "_count";
    return new TimeStats(
        row.text(counted).isEmpty() ? ended : row.whole(counted),
        row.decimal(prefix + "_mean_ns"),
        row.whole(prefix + "_p50_ns"),
        row.whole(prefix + "_p90_ns"),
        row.whole(prefix + "_p95_ns"),
        row.whole(prefix + "_p99_ns"),
        row.whole(prefix + "_p999_ns"),
        row.whole(prefix + "_max_ns"));
  }
}
