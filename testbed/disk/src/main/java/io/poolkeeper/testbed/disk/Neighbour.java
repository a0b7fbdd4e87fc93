package io.poolkeeper.testbed.disk;

import io.poolkeeper.testbed.commands.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Another process that writes to the same disk at a steady rate. */
public final class Neighbour implements AutoCloseable {

  /** Number of those of this process, which may overlap. */
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Path folder;
  private final Process process;

  /**
   * Starts it.
   *
   * @throws IOException if fio is not installed, or the folder cannot be made
   */
  public Neighbour(Path parent) throws IOException {
    String unused = Fio.version();
    folder =
        Files.createDirectories(Leftovers.named(parent, "neighbour-" + COUNT.incrementAndGet()));
    process =
        Fio.start(
            List.of(
                "--name=neighbour",
                "--directory=" + folder,
                "--rw=randwrite",
                "--bs=64k",
                "--size=256m",
                "--direct=1",
                "--ioengine=psync",
                "--thread",
                "--numjobs=2",
                "--rate=50m",
                "--time_based",
                "--runtime=1d",
                "--eta=never"));
  }

  /**
   * Ends it.
   *
   * @throws IOException if it had ended before, so that there was no neighbour for a while
   */
  @Override
  public void close() throws IOException {
    boolean endedBefore = !process.isAlive();
    process.getOutputStream().close();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Folders.delete(folder);
    if (endedBefore) {
      throw new IOException("the neighbour ended early: " + Fio.problem(Fio.output(process)));
    }
  }
}
