package io.poolkeeper.testbed.benchmarks.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.disk.Fio;
import io.poolkeeper.testbed.disk.probe.Access;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DiskFioTest {

  private static Process start(String path, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                DiskFio.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PATH", path);
    return builder.start();
  }

  @Test
  void measuresBothAndLeavesNothingBehind() throws Exception {
    assumeInstalled();
    // On the disk of the build, since the usual place may be in memory.
    Path folder =
        Files.createTempDirectory(
            Files.createDirectories(Path.of("target", "folders").toAbsolutePath()), "test");
    String options = "--rounds 1 --most 1 --size 16m --yes --dir " + folder;
    Process process = start(System.getenv("PATH"), options.split(" ", -1));
    String output = Fio.output(process);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output)
        .startsWith("command: ./poolkeeper bench disk-fio --rounds 1")
        .contains("fio-", "blocks of 65536 bytes at random places of one file of 16 MB")
        .containsPattern("\nreads, MB/s, medians\n.*\n +1 +\\d+\\.\\d +\\d+\\.\\d +\\d+")
        .containsPattern("\nsynced writes, MB/s, medians\n.*\n +1 +\\d+\\.\\d +\\d+\\.\\d +\\d+")
        .containsPattern("\n +knee +1 +1\n")
        .endsWith("suggested pool size: 1, by fio 1\n");
    assertThat(folder).isEmptyDirectory();
    Files.delete(folder);
  }

  private static void assumeInstalled() {
    try {
      assertThat(Fio.version()).startsWith("fio-");
    } catch (IOException e) {
      assumeTrue(false, e.getMessage());
    }
  }

  @Test
  void withoutFioTheDebianPackageIsNamed() throws Exception {
    Process process = start("/nowhere", "--dir", "target");
    assertThat(Fio.output(process))
        .endsWith("\npoolkeeper: fio is missing; on Debian: apt-get install fio\n");
    assertThat(process.waitFor()).isEqualTo(1);
  }

  @Test
  void throughputIsThatOfTheAccess() throws IOException {
    String output =
        "fio: a note\n{\"jobs\": [{\"read\": {\"bw_bytes\": 7}, \"write\": {\"bw_bytes\": 9}}]}\n";
    assertThat(FioMeter.bytesPerSecond(output, Access.READ)).isEqualTo(7);
    assertThat(FioMeter.bytesPerSecond(output, Access.WRITE)).isEqualTo(9);
    assertThat(FioMeter.bytesPerSecond(output, Access.SYNCED_WRITE)).isEqualTo(9);
    assertThatThrownBy(() -> FioMeter.bytesPerSecond("fio: is ill\n{}", Access.READ))
        .hasMessage("fio tells no throughput: fio: is ill");
    assertThatThrownBy(() -> FioMeter.bytesPerSecond("fio: is ill\n", Access.READ))
        .hasMessage("fio tells no throughput: fio: is ill");
  }
}
