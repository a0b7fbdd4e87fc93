package io.poolkeeper.testbed.disk.probe;

import io.poolkeeper.testbed.commands.ProgressLine;
import io.poolkeeper.testbed.disk.Leftovers;
import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of every command that measures a disk by a file of its own; a mixin. */
public final class FileOptions {

  private static final long MB = 1 << 20;
  private static final long STANDARD_BYTES = 512 * MB;

  /** Part of the free space that is taken without a question. */
  private static final double UNASKED = 0.03;

  private static final double STANDARD_PART = 0.02;
  private static final double LARGEST_PART = 0.5;
  private static final long LEAST_BYTES = TestFile.LEAST_BYTES;

  @Option(
      names = "--block",
      paramLabel = "SIZE",
      description = "Bytes of one read or write, from 512 to 16m; default 64k")
  private String block = "64k";

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description =
          "Size of the file, such as 2g; default 512m, or 2 %% of the free space if that is less."
              + " More than 3 %% asks first")
  private @Nullable String size;

  @Option(names = "--yes", description = "Takes more than 3 %% of the free space without asking")
  private boolean yes;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  /** Makes options with their defaults, for the parser to set. */
  public FileOptions() {}

  /**
   * Returns the bytes of one read or write.
   *
   * @throws IllegalArgumentException with the value if it is wrong
   */
  public int blockBytes() {
    int bytes = Math.toIntExact(bytes("block", block, 512, 16 * MB));
    if (Integer.bitCount(bytes) != 1) {
      throw new IllegalArgumentException("--block must be a power of two, but is " + block);
    }
    return bytes;
  }

  /**
   * Returns the bytes of the file, once whoever calls the command agrees to them. Removes what a
   * command has left behind that was killed.
   *
   * @throws IllegalArgumentException if the size is wrong, or nobody agrees
   * @throws BadStorage if there is no room for it
   */
  public long fileBytes(Storage storage) throws BadStorage, IOException {
    PrintWriter err = command.commandLine().getErr();
    int removed = Leftovers.remove(storage.folder());
    long bytes =
        size == null
            ? standardBytes(storage.folder(), storage.freeBytes(), blockBytes())
            : statedBytes(storage, size);
    if (bytes > UNASKED * storage.freeBytes() && !yes && !agrees(storage, bytes, err)) {
      throw new IllegalArgumentException(
          "a file of %s is %.0f %% of the %s that are free in %s: --yes allows it"
              .formatted(
                  Report.bytes(bytes),
                  100.0 * bytes / storage.freeBytes(),
                  Report.bytes(storage.freeBytes()),
                  storage.folder()));
    }
    if (removed > 0) {
      err.println("removed what a run left behind that was killed");
    }
    return bytes;
  }

  private static long statedBytes(Storage storage, String size) throws BadStorage {
    long asked = bytes("size", size, LEAST_BYTES, Long.MAX_VALUE);
    if (asked > LARGEST_PART * storage.freeBytes()) {
      throw new BadStorage(
          "%s: a file of %s is more than half of the %s that are free"
              .formatted(storage.folder(), Report.bytes(asked), Report.bytes(storage.freeBytes())));
    }
    return asked;
  }

  /**
   * Returns the size of the file where none is given.
   *
   * @throws BadStorage if that part of the free space is too small for a measurement
   */
  static long standardBytes(Path folder, long freeBytes, int blockBytes) throws BadStorage {
    long standard = Math.min(STANDARD_BYTES, (long) (STANDARD_PART * freeBytes));
    long least = Math.max(LEAST_BYTES, 4L * blockBytes);
    if (standard >= least) {
      return standard;
    }
    String free = Report.bytes(freeBytes);
    String needed = Report.bytes(least);
    throw new BadStorage(
        least > LARGEST_PART * freeBytes
            ? "%s: the disk is full, or nearly: %s are free, and a measurement takes %s at least"
                .formatted(folder, free, needed)
            : "%s: %s are free, and a measurement takes 2 %% of that or %s; --size %dm --yes allows it"
                .formatted(folder, free, needed, (least + MB - 1) / MB));
  }

  /** Asks where a person can answer; without a terminal nobody agrees. */
  private static boolean agrees(Storage storage, long fileBytes, PrintWriter err)
      throws IOException {
    if (!ProgressLine.onTerminal()) {
      return false;
    }
    err.printf(
        "Write a file of %s, %.0f %% of what is free in %s? It is removed at the end. [y/N] ",
        Report.bytes(fileBytes), 100.0 * fileBytes / storage.freeBytes(), storage.folder());
    err.flush();
    String answer =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
    return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
  }

  private static long bytes(String option, String text, long least, long largest) {
    String number = text.strip().toLowerCase(Locale.ROOT);
    if (!number.matches("\\d{1,12}[kmg]?")) {
      throw new IllegalArgumentException(
          "--%s must be a number of bytes such as 64k, 512m or 2g, but is '%s'"
              .formatted(option, text));
    }
    int shift =
        switch (number.charAt(number.length() - 1)) {
          case 'k' -> 10;
          case 'm' -> 20;
          case 'g' -> 30;
          default -> 0;
        };
    long value = Long.parseLong(shift == 0 ? number : number.substring(0, number.length() - 1));
    long bytes = value > Long.MAX_VALUE >> shift ? Long.MAX_VALUE : value << shift;
    if (bytes < least || bytes > largest) {
      throw new IllegalArgumentException(
          "--%s must be %s or more%s, but is %s"
              .formatted(
                  option,
                  Report.bytes(least),
                  largest == Long.MAX_VALUE ? "" : ", up to " + Report.bytes(largest),
                  text));
    }
    return bytes;
  }
}
