package io.poolkeeper.testbed.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Makes folders of tests where the build is, as the usual place for them may be in memory. */
public final class FolderOnDisk implements TempDirFactory {

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    Path parent = Files.createDirectories(Path.of("target", "folders").toAbsolutePath());
    return Files.createTempDirectory(parent, "test");
  }
}
