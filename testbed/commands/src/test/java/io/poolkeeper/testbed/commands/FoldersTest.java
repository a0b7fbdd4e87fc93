package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FoldersTest {

  @Test
  void aFolderIsDeletedWithAllInItAndASecondTimeNothingHappens(@TempDir Path parent)
      throws IOException {
    Path folder = Files.createDirectory(parent.resolve("folder"));
    Files.createFile(Files.createDirectory(folder.resolve("inner")).resolve("file"));
    Folders.delete(folder);
    Folders.delete(folder);
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void aFolderThatCannotBeMadeIsToldWithTheOptionAndTheReason(@TempDir Path parent)
      throws IOException {
    Path file = Files.createFile(parent.resolve("file"));
    assertThatThrownBy(() -> Folders.make("--output", file))
        .isInstanceOf(BadInput.class)
        .hasMessage("--output: the folder '%s' cannot be made: there is a file of that name", file);
  }

  @Test
  void theReasonOfAFailureDoesNotRepeatThePath() {
    assertThat(Folders.reason(new FileSystemException("/a/b", null, "No space left on device")))
        .isEqualTo("No space left on device");
    assertThat(Folders.reason(new AccessDeniedException("/a/b"))).isEqualTo("permission denied");
    assertThat(Folders.reason(new NoSuchFileException("/a/b"))).isEqualTo("no such file or folder");
    assertThat(Folders.reason(new IOException("broken"))).isEqualTo("broken");
    assertThat(Folders.reason(new IOException())).isEqualTo("IOException");
  }
}
