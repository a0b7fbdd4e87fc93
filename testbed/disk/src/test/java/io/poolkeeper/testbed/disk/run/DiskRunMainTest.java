package io.poolkeeper.testbed.disk.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.linux.DiskSensor;
import io.poolkeeper.record.WindowReader;
import io.poolkeeper.testbed.disk.FolderOnDisk;
import io.poolkeeper.testbed.disk.SmallDisk;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.Jdks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs on real files, small ones. */
final class DiskRunMainTest {

  private final Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  DiskRunMainTest(@TempDir(factory = FolderOnDisk.class) Path folder) {
    this.folder = folder;
  }

  static boolean sensorWorks() {
    return DiskSensor.unavailable().isEmpty();
  }

  private int run(String... arguments) {
    return runIn(folder, arguments);
  }

  private int runIn(Path place, String... arguments) {
    List<String> all = new ArrayList<>(List.of("--dir", place.toString()));
    all.addAll(List.of(arguments));
    return DiskRunMain.execute(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        all.toArray(String[]::new));
  }

  private JsonNode result() throws IOException {
    return new ObjectMapper().readTree(out.toByteArray());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fixed --set size=3",
        "jdk-watermark",
        "watermark",
        "scale-adapter --set objective=disk-throughput",
        "scale-adapter-drop --set objective=disk-throughput",
        "scale-adapter-average --set objective=disk-throughput",
        "scale-adapter-calls --set objective=disk-throughput",
        "response-curve --set objective=disk-throughput --advice-only",
      })
  @EnabledIf("sensorWorks")
  void everyContestantDoesAllJobsAndTheirBytesAreCounted(String contestant) throws IOException {
    String arguments = "--phase rw_4kb:30:oneshot --phase rw_4kb:5:1ms --controller " + contestant;
    assertThat(run(arguments.split(" ", -1))).as("%s", err).isZero();
    JsonNode result = result();
    assertThat(result.get("failed").asInt()).isZero();
    assertThat(result.get("problem").isNull()).as("%s", result).isTrue();
    assertThat(result.get("logical_bytes").asLong()).isGreaterThanOrEqualTo(35 * 2 * 4096);
    assertThat(result.get("seconds").asDouble()).isPositive();
    assertThat(result.get("mean_size").asDouble()).isBetween(0.9, 64.1);
    assertThat(result.get("page_cache").asText()).isNotBlank();
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .hasSize(35)
          .allMatch(name -> name.startsWith("source-4096-"));
    }
  }

  @ParameterizedTest
  @EnumSource(Workload.class)
  void everyWorkloadReadsItsFileAndRemovesItsCopy(Workload workload) throws Exception {
    SourceFiles files = SourceFiles.make(folder, workload.fileBytes(), 1);
    workload.run(files.source(5), files.copy(5));
    assertThat(files.copy(5)).doesNotExist();
    assertThat(files.source(5)).hasSize(workload.fileBytes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "fixed --set size=3                        | ''",
        "jdk-watermark                             | ''",
        "fixed --set size=65                       | 65",
        "response-curve --set tolerance=7          | tolerance must be a fraction",
        "response-curve --set tolerence=0.1        | unknown setting of response-curve 'tolerence'",
        "scale-adapter --set workload=pol          | pol",
        "watermark --set high=1                    | high",
      })
  @EnabledIf("sensorWorks")
  void checkFindsWrongSettingsAndMakesNoFile(String contestant, String message) {
    String arguments = "--check --phase rw_4kb:30:oneshot --controller " + contestant;
    assertThat(run(arguments.split(" ", -1))).as("%s", err).isEqualTo(message.isEmpty() ? 0 : 2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(message);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void neighbourWritesToTheDiskDuringItsPhaseAndLeavesNothing() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/fio")), "needs fio (Debian package fio)");
    String arguments =
        "--phase rw_4kb:5:oneshot --phase rw_4kb_neighbour:200:2ms --phase rw_4kb:5:oneshot"
            + " --files 5 --controller fixed --set size=2";
    CompletableFuture<Integer> code =
        CompletableFuture.supplyAsync(() -> run(arguments.split(" ", -1)));
    Conditions.await("fio has begun", () -> fio().isPresent() || code.isDone());
    assertThat(code).as("fio begins during the run").isNotDone();
    assertThat(code.get(1, TimeUnit.MINUTES)).as("%s", err).isZero();
    assertThat(fio()).as("fio ended with the phase").isEmpty();
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).hasSize(5);
    }
  }

  @Test
  void neighbourThatCannotBeStartedFailsTheRunAndHangsNothing() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    PhaseNeighbour neighbour = new PhaseNeighbour(file, 1);
    neighbour.jobStarts();
    neighbour.jobEnded();
    assertThatThrownBy(neighbour::await).isInstanceOf(IOException.class);
  }

  private static Optional<ProcessHandle> fio() {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().command().orElse("").endsWith("/fio"))
        .findAny();
  }

  @Test
  void recordHoldsTheWindowsOfTheRun() throws IOException {
    Path record = folder.resolve("record");
    assertThat(
            run(
                "--phase",
                "rw_4kb:20:oneshot",
                "--controller",
                "fixed",
                "--set",
                "size=2",
                "--record",
                record.toString()))
        .as("%s", err)
        .isZero();
    assertThat(WindowReader.read(record)).isNotEmpty();
  }

  @Test
  void poolWithoutSensorHasNoDiskFigures() throws IOException {
    assertThat(
            run(
                "--phase",
                "rw_4kb:20:oneshot",
                "--controller",
                "fixed",
                "--set",
                "size=2",
                "--no-loop"))
        .isZero();
    assertThat(result().get("logical_bytes").isNull()).as("no zero that looks measured").isTrue();
  }

  @Test
  void diskThatIsFullIsNamedAndNoCopyLeft() throws Exception {
    try (SmallDisk disk = SmallDisk.mount()) {
      SourceFiles.make(disk.folder(), Workload.RW_100KB.fileBytes(), 2);
      disk.fill();
      String arguments = "--phase rw_100kb:9:oneshot --files 2 --controller fixed --set size=2";
      assertThat(runIn(disk.folder(), arguments.split(" ", -1))).isEqualTo(1);
      assertThat(err).hasToString("poolkeeper: " + disk.folder() + ": the disk is full\n");
      assertThat(disk.folder().resolve("copy-0")).doesNotExist();
    }
  }

  @Test
  void jobsThatDieForWantOfMemoryAreLostWithTheirReason() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xms24m",
                "-Xmx24m",
                "-cp",
                System.getProperty("java.class.path"),
                DiskRunMain.class.getName(),
                "--dir",
                folder.toString(),
                "--phase",
                "read_2mb:600:oneshot",
                "--files",
                "1",
                "--controller",
                "fixed",
                "--set",
                "size=60", // A buffer each: 120 MB.
                "--no-loop")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    out.write(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(result().get("failed").asInt()).isPositive();
    assertThat(result().get("failure").asText()).contains("OutOfMemoryError");
  }

  @Test
  void tooFewDescriptorsLoseJobsWithTheirReasonAndHangNothing() throws Exception {
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n 100; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                DiskRunMain.class.getName(),
                "--dir",
                folder.toString(),
                "--phase",
                "rw_4kb:2000:oneshot",
                "--files",
                "10",
                "--controller",
                "fixed",
                "--set",
                "size=200", // More sensors than there can be descriptors.
                "--maximum",
                "200")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    out.write(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    JsonNode result = result();
    boolean lost = result.get("failed").asInt() > 0;
    assertThat(process.exitValue()).as("%s", result).isEqualTo(lost ? 1 : 0);
    assertThat(result.get("failure").isNull()).isEqualTo(!lost);
    assertThat(result.get("problem").asText()).as("of the sensor").contains("Too many open files");
    assertThat(result.get("logical_bytes").isNull()).as("no sum that lacks some").isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pool", "virtual", "virtual-to-pool"})
  void jobsOnVirtualThreadsAreAllDoneAndDelaysMeasured(String threads) throws Exception {
    Optional<Path> java = Jdks.withVirtualThreads();
    assumeTrue(java.isPresent(), "no JDK 21 or later below /usr/lib/jvm");
    Process process =
        new ProcessBuilder(
                java.get().toString(),
                "-cp",
                System.getProperty("java.class.path"),
                DiskRunMain.class.getName(),
                "--dir",
                folder.toString(),
                "--phase",
                "rw_4kb:60:1ms",
                "--controller",
                "fixed",
                "--set",
                "size=2",
                "--threads",
                threads)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    out.write(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    JsonNode result = result();
    assertThat(result.get("failed").asInt()).isZero();
    JsonNode figures = result.get("figures");
    assertThat(figures.get("their p99, ms").asDouble()).isPositive();
    assertThat(figures.get("the longest, ms").asDouble())
        .isGreaterThanOrEqualTo(figures.get("their p99, ms").asDouble());
    assertThat(result.get("logical_bytes").isNull()).isEqualTo(threads.equals("virtual"));
  }

  @Test
  @DisabledForJreRange(min = JRE.JAVA_21)
  void virtualThreadsWithoutThemAreRefusedInOneLine() {
    String arguments = "--phase rw_4kb:3:oneshot --controller fixed --set size=1 --threads ";
    assertThat(run((arguments + "virtual").split(" ", -1))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("needs JDK 21 or later");
    assertThat(run((arguments + "virtul").split(" ", -1))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("did you mean 'virtual'");
  }

  @Test
  void wrongInputIsOneLine() {
    assertThat(run("--phase", "rw_4kb:3:oneshot", "--controller", "fixd")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("did you mean 'fixed'");
    assertThat(
            run(
                "--phase",
                "rw_4kb:3:oneshot",
                "--phase",
                "rw_2mb:3:oneshot",
                "--controller",
                "fixed",
                "--set",
                "size=1"))
        .isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("files of one size");
    String arguments = "--phase rw_4kb:3:oneshot --controller fixed --set size=1 ";
    assertThat(run((arguments + "--files 0").split(" ", -1))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("--files must be from 1 to ");
    assertThat(run((arguments + "--window -1").split(" ", -1))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("--window must be from 0 to ");
  }
}
