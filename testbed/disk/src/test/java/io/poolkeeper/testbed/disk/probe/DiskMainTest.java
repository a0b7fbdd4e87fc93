package io.poolkeeper.testbed.disk.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.disk.FolderOnDisk;
import io.poolkeeper.testbed.disk.SmallDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DiskMainTest {

  private static final String[] SHORT = {
    "--seconds", "1", "--most", "2", "--repetitions", "1", "--size", "16m", "--yes"
  };

  private final Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  DiskMainTest(@TempDir(factory = FolderOnDisk.class) Path folder) {
    this.folder = folder;
  }

  private int run(String... arguments) {
    return runIn(folder, arguments);
  }

  private int runIn(Path place, String... arguments) {
    return DiskMain.execute(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        Stream.concat(Stream.of(place.toString()), Stream.of(arguments)).toArray(String[]::new));
  }

  private String errors() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void measuresAllWaysAndLeavesNothingBehind() throws IOException {
    assertThat(run(SHORT)).as("%s", errors()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("reads", "synced writes", "   knee", "suggested pool size: ");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void jsonHoldsEveryPoint() throws IOException {
    String[] arguments =
        Stream.concat(Stream.of(SHORT), Stream.of("--json")).toArray(String[]::new);
    assertThat(run(arguments)).as("%s", errors()).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toByteArray());
    for (String access : new String[] {"read", "write", "synced_write"}) {
      JsonNode points = json.at("/curves/" + access + "/points");
      assertThat(points).hasSize(2);
      assertThat(points.get(1).get("threads").asInt()).isEqualTo(2);
    }
    assertThat(json.get("suggested_pool_size").asInt()).isBetween(1, 2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--seconds 0      | --seconds must be from 1 to 3600, but is 0",
        "--seconds 1      | --seconds 1 is too short for 63 measurements of 50 ms at least: give 4",
        "--most 0         | --most must be from 1 to 1024, but is 0",
        "--block 100      | --block must be 512 B or more, up to 16 MB, but is 100",
        "--block 48k      | --block must be a power of two, but is 48k",
        "--block many     | --block must be a number of bytes such as 64k, 512m or 2g, but is 'many'",
        "--size 1k        | --size must be 16 MB or more, but is 1k",
        "--sice 1g        | unknown option '--sice'; did you mean '--size'",
      })
  void wrongInputIsOneLine(String arguments, String message) {
    assertThat(run(arguments.split(" ", -1))).isEqualTo(2);
    assertThat(errors()).contains(message).hasLineCount(1);
  }

  @Test
  void moreThanHalfOfWhatIsFreeIsRefused() {
    assertThat(run("--size", "999999999g", "--yes")).isEqualTo(1);
    assertThat(errors()).contains("is more than half of the").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({
    "20, 'is full, or nearly: 20 MB are free, and a measurement takes 16 MB at least'",
    "47, '47 MB are free, and a measurement takes 2 % of that or 16 MB; --size 16m --yes allows it'",
  })
  void littleFreeSpaceIsNamedWithAWayOut(int freeMegabytes, String message) {
    assertThatThrownBy(() -> FileOptions.standardBytes(folder, (long) freeMegabytes << 20, 65536))
        .hasMessageContaining(message);
  }

  @Test
  void fullDiskAndReadOnlyOneAreOneLine() throws Exception {
    try (SmallDisk disk = SmallDisk.mount()) {
      disk.fill();
      assertThat(runIn(disk.folder(), SHORT)).isEqualTo(1);
      assertThat(errors()).contains(": a file of 16 MB is more than half of the ").hasLineCount(1);
      err.reset();
      assertThat(runIn(disk.folder())).isEqualTo(1);
      assertThat(errors()).contains(": the disk is full, or nearly: ").hasLineCount(1);
      err.reset();
      disk.makeReadOnly();
      assertThat(runIn(disk.folder(), SHORT)).isEqualTo(1);
      assertThat(errors())
          .endsWith(disk.folder() + ": cannot be written to (read-only file system)\n")
          .hasLineCount(1);
    }
  }

  @Test
  void muchOfWhatIsFreeNeedsAPermission() throws IOException {
    long tenth = Files.getFileStore(folder).getUsableSpace() / 10 / (1 << 20);
    assertThat(run("--size", tenth + "m")).isEqualTo(2);
    assertThat(errors()).contains(" % of the ", "--yes allows it");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void killLeavesNothingBehind() throws Exception {
    Process process = startAndAwaitProgress();
    process.destroyForcibly();
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void requestToEndIsAnsweredInOneLineAndLeavesNothingBehind() throws Exception {
    Process process = startAndAwaitProgress();
    process.toHandle().destroy(); // Leaves the streams open.
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    String rest = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(rest).contains("\npoolkeeper: stopped; the file is removed\n");
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(folder).isEmptyDirectory();
  }

  private Process startAndAwaitProgress() throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "-Dpoolkeeper.terminal=true",
                DiskMain.class.getName(),
                folder.toString(),
                "--seconds",
                "600",
                "--size",
                "16m",
                "--yes")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    StringBuilder progress = new StringBuilder();
    while (progress.indexOf("1 of ") < 0) {
      int read = process.getErrorStream().read();
      if (read < 0) {
        process.destroyForcibly();
        throw new AssertionError("it ended early: " + progress);
      }
      progress.append((char) read);
    }
    return process;
  }

  @Test
  void helpTeaches() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(
            "by the number of threads, for reads, writes\nand synced writes", // As it was written.
            "up to the knee",
            "a minute, 2 % of the free space",
            "Examples",
            "fio",
            "Exit code");
  }

  @Test
  void threadsAreThePowersOfTwoAndTheLargest() {
    assertThat(DiskMain.threads(12)).containsExactly(1, 2, 4, 8, 12);
    assertThat(DiskMain.threads(8)).containsExactly(1, 2, 4, 8);
    assertThat(DiskMain.threads(1)).containsExactly(1);
  }
}
