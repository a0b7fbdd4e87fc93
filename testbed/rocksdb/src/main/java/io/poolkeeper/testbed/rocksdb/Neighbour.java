package io.poolkeeper.testbed.rocksdb;

import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.disk.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process that writes to the same disk at a steady rate: fio, a Debian package. */
final class Neighbour implements AutoCloseable {

  /** Ends with this process, even if that is killed: its standard input closes then. */
  private static final String UNTIL_INPUT_ENDS = "\"$@\" & cat > /dev/null; kill $!; wait $!";

  private final Path folder;
  private final Process process;

  /**
   * Starts it.
   *
   * @throws IOException if fio is not installed, or the folder cannot be made
   */
  Neighbour(Path parent) throws IOException {
    folder = Files.createDirectories(Leftovers.named(parent, "neighbour"));
    List<String> command = new ArrayList<>(List.of("sh", "-c", UNTIL_INPUT_ENDS, "sh", "fio"));
    command.addAll(
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
            "--runtime=600"));
    requireFio();
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
  }

  private static void requireFio() throws IOException {
    try {
      new ProcessBuilder("fio", "--version")
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      throw new IOException("overwrite_neighbour needs fio (Debian package fio)", e);
    }
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Folders.delete(folder);
  }
}
