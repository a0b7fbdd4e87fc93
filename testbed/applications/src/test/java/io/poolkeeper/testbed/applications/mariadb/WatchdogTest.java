package io.poolkeeper.testbed.applications.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** It kills with SIGKILL and as root, so whom it leaves alone matters as much as whom it kills. */
@Timeout(300)
final class WatchdogTest {

  private static Process sleeper(String argument) throws IOException {
    return new ProcessBuilder("sh", "-c", "sleep 3600; :", "sleeper", argument, "last").start();
  }

  @Test
  void endsItsFoldersProcessesAndNobodyElse(@TempDir Path folder) throws Exception {
    Path watched = Files.createDirectory(folder.resolve("watched"));
    Files.createFile(watched.resolve("file"));
    Path other = Files.createDirectory(folder.resolve("other"));
    Process victim = sleeper("--basedir=" + watched + "/base");
    Process neighbour = sleeper("--basedir=" + other + "/base");
    Process longer = sleeper("--basedir=" + watched + "/base2");
    Process reader = sleeper(watched + "/base");
    Process empty = sleeper("--basedir=/base");
    try {
      new Watchdog(watched).close();
      assertThat(victim.waitFor(300, TimeUnit.SECONDS)).isTrue();
      assertThat(neighbour.isAlive()).isTrue();
      assertThat(longer.isAlive()).isTrue();
      assertThat(reader.isAlive()).isTrue();
      assertThat(empty.isAlive()).isTrue();
      assertThat(watched).doesNotExist();
      assertThat(other).exists();
    } finally {
      for (Process process : new Process[] {victim, neighbour, longer, reader, empty}) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }
  }

  @Test
  void aFolderThatIsNotThereIsRefused() {
    assertThatThrownBy(() -> new Watchdog(Path.of("/nowhere/at/all")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/nowhere/at/all");
    assertThatThrownBy(() -> new Watchdog(Path.of("/")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
