package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
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
}
