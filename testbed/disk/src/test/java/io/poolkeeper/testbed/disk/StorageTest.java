package io.poolkeeper.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StorageTest {

  @Test
  void memoryIsNamedAsNoDisk() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeTrue(
        Files.isDirectory(memory) && Files.getFileStore(memory).type().equals("tmpfs"),
        "no tmpfs here");
    assertThatThrownBy(() -> Storage.of(memory))
        .isInstanceOf(BadStorage.class)
        .hasMessage("/dev/shm: is on tmpfs, which is memory and no disk; give a folder on a disk");
  }

  @Test
  void whatIsNoFolderIsNamed(@TempDir Path folder) throws IOException {
    assertThatThrownBy(() -> Storage.of(folder.resolve("no")))
        .hasMessageEndingWith("no such folder");
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> Storage.of(file)).hasMessageEndingWith("is not a folder");
    // JDK 25 tells a path through a file as one that does not exist.
    assertThatThrownBy(() -> Storage.of(file.resolve("x")))
        .message()
        .isIn(file + "/x: Not a directory", file + "/x: no such folder");
    Path longName = folder.resolve("x".repeat(300));
    assertThatThrownBy(() -> Storage.of(longName)).hasMessage(longName + ": File name too long");
    assertThatThrownBy(() -> Storage.stated(folder.resolve("no")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("no such folder");
  }

  @Test
  void folderInWhichNothingCanBeMadeIsNamed() {
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "no /proc here");
    assertThatThrownBy(() -> Storage.of(Path.of("/proc")))
        .isInstanceOf(BadStorage.class)
        .hasMessageStartingWith("/proc: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "No space left on device | the disk is full",
        "Read-only file system   | cannot be written to (read-only file system)",
        "File too large          | a file may not be so large; raise the limit with ulimit -f",
        "Disk quota exceeded     | the quota of this user is used up",
        "Too many open files     | too many open files; raise the limit with ulimit -n, or use fewer threads",
        "Input/output error      | Input/output error",
      })
  void failuresOfTheSystemAreOneLine(String system, String line) {
    IOException failure = new FileSystemException("/data/x", null, system);
    assertThat(BadStorage.of(Path.of("/data"), failure)).hasMessage("/data: " + line);
    assertThat(BadStorage.of(Path.of("/data"), new IOException(system)))
        .hasMessage("/data: " + line);
  }

  @Test
  void deniedAccessIsOneLine() {
    assertThat(BadStorage.of(Path.of("/data"), new AccessDeniedException("/data/x")))
        .hasMessage("/data: cannot be written to (permission denied)");
  }

  @Test
  void leftoversOfProcessesThatAreNoMoreAreRemovedAndOthersStay(@TempDir Path folder)
      throws IOException {
    Path own = Files.createDirectory(Leftovers.named(folder, "files"));
    Path dead = folder.resolve(".poolkeeper-disk-999999999-files");
    Files.createDirectory(dead);
    Files.createFile(dead.resolve("copy-1"));
    Path other = Files.createFile(folder.resolve("mine"));
    assertThat(Leftovers.remove(folder)).isEqualTo(1);
    assertThat(dead).doesNotExist();
    assertThat(own).exists();
    assertThat(other).exists();
    Folders.delete(own);
    Folders.delete(own);
    assertThat(own).doesNotExist();
  }
}
