package io.poolkeeper.testbed.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.linux.DiskSensor;
import io.poolkeeper.record.WindowReader;
import io.poolkeeper.testbed.disk.Neighbour;
import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testkit.Conditions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Small runs on a real database. */
@EnabledIf("sensorWorks")
final class RocksDbRunMainTest {

  private static final String SMALL = "families=4,memtable=1,memtables=2,direct=false,slowdown=8";

  private final Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  RocksDbRunMainTest() throws IOException {
    // On the disk of the build, since the usual place may be in memory.
    Path parent = Files.createDirectories(Path.of("target", "folders").toAbsolutePath());
    folder = Files.createTempDirectory(parent, "test");
  }

  static boolean sensorWorks() {
    return DiskSensor.unavailable().isEmpty();
  }

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--dir", folder.toString()));
    all.addAll(List.of(arguments));
    return RocksDbRunMain.execute(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        all.toArray(String[]::new));
  }

  private void assertEmpty(Path place) throws IOException {
    try (Stream<Path> left = Files.list(place)) {
      assertThat(left).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "default",
        "fixed --set size=3",
        "rate-limiter --set size=2",
        "adoc",
        "scale-adapter --set objective=disk-throughput --set workload=rocksdb",
        "response-curve --set objective=disk-throughput",
      })
  void everyContestantDoesAllWritesAndLeavesNothing(String contestant) throws IOException {
    String arguments =
        "--phase fillseq:20000:oneshot --phase overwrite_readers:5000:oneshot --phase"
            + " overwrite:20:1ms --maximum 4 --layout %s --controller %s";
    assertThat(run(arguments.formatted(SMALL, contestant).split(" ", -1))).as("%s", err).isZero();
    JsonNode result = new ObjectMapper().readTree(out.toByteArray());
    assertThat(result.get("seconds").asDouble()).isPositive();
    assertThat(result.get("mean_size").asDouble()).isBetween(1.5, 8.5);
    assertThat(result.get("failed").asInt()).isZero();
    JsonNode figures = result.get("figures");
    assertThat(figures.get("1 fillseq, writes/s").asDouble()).isPositive();
    assertThat(figures.get("3 overwrite, p99 ms").asDouble()).isPositive();
    assertThat(figures.get("stalls, s").asDouble()).isNotNegative();
    assertEmpty(folder);
  }

  @Test
  void recordHoldsTheWindowsOfBothPools() throws IOException {
    Path record = folder.resolve("record");
    String arguments =
        "--phase fillseq:20000:oneshot --phase overwrite:1500:1ms --layout %s --controller"
            + " scale-adapter --set objective=disk-throughput --record %s";
    assertThat(run(arguments.formatted(SMALL, record).split(" ", -1))).as("%s", err).isZero();
    assertThat(WindowReader.read(record)).isNotEmpty();
    assertThat(Files.readString(record.resolve("windows.csv")))
        .contains("rocksdb-flushes,")
        .contains("rocksdb-compactions,");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--phase fill:1:oneshot --controller default          | unknown workload 'fill'",
        "--phase fillseq:1:oneshot --controller defaut        | did you mean 'default'",
        "--phase fillseq:1:oneshot --controller fixed --set size=0 | size must be from 1 to 999",
        "--phase fillseq:1:oneshot --controller default --layout famlies=2 | holds 'famlies=2'",
        "--phase fillseq:1:oneshot --controller default --layout families=0 | from 1 to 9999",
        "--phase fillseq:1:oneshot --controller default --layout direct=yes | but is 'yes'",
        "--phase fillseq:1:oneshot --controller default --layout compact=no | but is 'no'",
        "--phase fillseq:1:oneshot --controller default --set size=3 | of default 'size'; known: none",
        "--phase fillseq:1:oneshot --controller fixed --set sice=3 | of fixed 'sice'; known: size",
        "--phase fillseq:1:oneshot --controller adoc --advice-only | adoc has no decisions that",
        "--check --phase fillseq:1:oneshot --controller fixed --set size=x | size must be from 1",
        "--phase fillseq:1:oneshot --controller adoc --maximum 0 | --maximum must be from 1 to",
        "--phase fillseq:1:oneshot --controller adoc --initial 17 | --initial must be from 1 to 16",
        "--phase fillseq:1:oneshot --controller scale-adapter --set workload=x | unknown workload",
      })
  void wrongInputIsOneLineAndLeavesNothing(String arguments, String message) throws IOException {
    assertThat(run(arguments.strip().split(" ", -1))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(message).hasLineCount(1);
    assertEmpty(folder);
  }

  @Test
  void neighbourWritesMeanwhileAndEndsWithItsPhase() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/fio")), "needs fio (Debian package fio)");
    String arguments =
        "--phase overwrite_neighbour:1000:1ms --controller default --layout %s".formatted(SMALL);
    assertThat(run(arguments.split(" ", -1))).as("%s", err).isZero();
    assertEmpty(folder);
    Conditions.await("fio has ended", () -> fio().isEmpty());
  }

  @Test
  void neighbourThatIsKilledIsNamed() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/fio")), "needs fio (Debian package fio)");
    Neighbour neighbour = new Neighbour(folder);
    Conditions.await("fio has begun", () -> fio().isPresent());
    ProcessHandle fio = fio().orElseThrow();
    fio.destroyForcibly();
    Conditions.await(
        "its shell has ended", () -> ProcessHandle.current().children().findAny().isEmpty());
    assertThatThrownBy(neighbour::close).hasMessageStartingWith("the neighbour ended early: ");
    assertEmpty(folder);
  }

  private static Optional<ProcessHandle> fio() {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().command().orElse("").endsWith("/fio"))
        .findAny();
  }

  @ParameterizedTest
  @CsvSource({"--rounds 0", "--seconds 0", "--megabytes 0", "--sizes 0", "--other 1000"})
  void wrongSweepIsOneLine(String option) {
    PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
    String arguments = "--dir %s %s".formatted(folder, option);
    assertThat(SizesMain.execute(stream, stream, arguments.split(" ", -1))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("poolkeeper: " + option.split(" ", -1)[0] + " must be from 1 to ")
        .hasLineCount(1);
  }

  @Test
  void sweepWritesLessWhereThereIsLittleRoom() {
    assertThat(SizesMain.megabytes(null, 300_000_000, disk(1000))).isEqualTo(1000);
    assertThat(SizesMain.megabytes(null, 300_000_000, disk(60))).isEqualTo(900);
    assertThat(SizesMain.megabytes(5, 0, disk(1))).isEqualTo(5);
    assertThatThrownBy(() -> SizesMain.megabytes(901, 300_000_000, disk(60)))
        .hasMessageContaining("--megabytes 901: a database may grow to 3003 MB, more than 5 %");
    assertThatThrownBy(() -> SizesMain.megabytes(null, 0, disk(5)))
        .hasMessageContaining("--megabytes 100: a database may grow to 300 MB, more than 5 %");
  }

  private static Storage disk(int freeGigabytes) {
    return new Storage(Path.of("/data"), "ext4", "/dev/sda", freeGigabytes * 1_000_000_000L);
  }

  @Test
  void sweepIsBoundedAndLeavesNothing() throws IOException {
    String arguments =
        "--dir %s --seconds 1 --megabytes 5 --rounds 3 --sizes 1,2 --workload fillseq --layout %s";
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    assertThat(SizesMain.execute(stream, stream, arguments.formatted(folder, SMALL).split(" ", -1)))
        .as("%s", out)
        .isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("flush threads:", "compaction");
    assertEmpty(folder);
    assertThat(
            SizesMain.execute(
                stream, stream, "--dir", folder.toString(), "--megabytes", "100000000"))
        .isEqualTo(2);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("more than 5 % of the");
  }
}
