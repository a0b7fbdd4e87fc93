package io.poolkeeper.testbed.load.record;

import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.description.Request;
import io.poolkeeper.testbed.load.http.HttpStatus;
import io.poolkeeper.testbed.load.http.Sample;
import io.poolkeeper.testbed.load.http.Target;
import io.poolkeeper.testbed.load.measure.SampleSink;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Writes {@code samples.jtl}, one row a request, as JMeter does with its default columns. Times
 * count from the intended start of a request, which is also its {@code timeStamp}. A thread of its
 * own does the work. If it falls behind by {@value #QUEUE} batches, load threads wait for it,
 * rather than lose samples or fill the memory; the summary of the run then says so.
 */
public final class SampleLog implements SampleSink {

  private static final int QUEUE = 64;

  private static final String HEADER =
      "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
          + "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n";

  private static final Batch END = new Batch(List.of(), false);

  /**
   * Samples that were handed over at a time.
   *
   * @param samples none if no others follow
   * @param warmUp whether they go nowhere
   */
  private record Batch(List<Sample> samples, boolean warmUp) {}

  private final RecordFile file;

  /** Gets what was sampled in a warm-up. */
  private final RecordFile nowhere = new RecordFile(OutputStream.nullOutputStream(), e -> {});

  private final String[] labels;
  private final String[] urls;
  private final String kind;
  private final BlockingQueue<Batch> queue = new ArrayBlockingQueue<>(QUEUE);
  private final Thread writer = new Thread(this::run, "load-samples");
  private long wallStart;
  private volatile long runStart;

  SampleLog(RecordFile file, LoadDescription load, Target target) {
    this.file = file;
    labels =
        load.requests().stream().map(Request::name).map(SampleLog::cell).toArray(String[]::new);
    urls =
        load.requests().stream()
            .map(request -> cell("http://" + target.authority() + request.path()))
            .toArray(String[]::new);
    kind = load.kind();
  }

  /** Takes samples from now on; those of a warm-up cost what others do, and are dropped. */
  void start() {
    writer.setDaemon(true);
    writer.start();
  }

  /**
   * Begins to write.
   *
   * @param runStart when measuring begins, of {@link System#nanoTime}
   * @param wallStart the same in milliseconds since the epoch
   */
  void begin(long runStart, long wallStart) {
    this.wallStart = wallStart;
    this.runStart = runStart;
    if (!writer.isAlive()) {
      start();
    }
  }

  @Override
  public void write(List<Sample> samples, boolean warmUp) {
    write(new Batch(samples, warmUp));
  }

  private void write(Batch batch) {
    boolean interrupted = false;
    boolean taken = false;
    // A writer that died of a lack of memory must not take the load with it.
    while (!taken && writer.isAlive()) {
      try {
        taken = queue.offer(batch, 1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    file.write(HEADER.getBytes(StandardCharsets.UTF_8));
    StringBuilder rows = new StringBuilder();
    for (Batch batch = take(); !batch.samples().isEmpty(); batch = take()) {
      for (Sample sample : batch.samples()) {
        append(rows, sample);
      }
      (batch.warmUp() ? nowhere : file).write(rows.toString().getBytes(StandardCharsets.UTF_8));
      rows.setLength(0);
    }
  }

  private Batch take() {
    try {
      return queue.take();
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts this thread", e);
    }
  }

  private void append(StringBuilder row, Sample sample) {
    long sinceStart = sample.start() - runStart;
    String failure = sample.failure();
    row.append(wallStart + millis(sinceStart)).append(',');
    row.append(millis(sample.responseTime())).append(',');
    row.append(labels[sample.request().index()]).append(',');
    if (failure == null) {
      row.append(sample.status()).append(',').append(HttpStatus.reason(sample.status()));
    } else {
      // So JMeter writes samples without an answer.
      row.append("Non HTTP response code: ").append(failure);
      row.append(",Non HTTP response message: ").append(failure);
    }
    row.append(',').append(kind).append(" 1-").append(sample.user() + 1).append(",text,");
    row.append(failure == null && sample.status() / 100 == 2).append(',');
    row.append(failure == null ? "" : failure).append(',');
    row.append(sample.received()).append(',').append(sample.sent()).append(',');
    row.append(sample.clients()).append(',').append(sample.clients()).append(',');
    row.append(urls[sample.request().index()]).append(',');
    row.append(millis(sample.latency())).append(",0,");
    row.append(millis(sample.connectTime())).append('\n');
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  /** A text as a cell of a CSV file. */
  private static String cell(String text) {
    boolean plain = text.indexOf(',') < 0 && text.indexOf('"') < 0;
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  /** Writes what is left and closes the file. */
  public void finish() throws InterruptedException {
    write(END);
    writer.join();
    file.close();
  }
}
