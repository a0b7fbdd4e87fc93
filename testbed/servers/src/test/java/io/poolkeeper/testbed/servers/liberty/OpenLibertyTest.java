package io.poolkeeper.testbed.servers.liberty;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages where Open Liberty is missing, or is something else. */
final class OpenLibertyTest {

  @Test
  void whereItIsMissingTheCommandThatFetchesItIsTold(@TempDir Path repository) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OpenLiberty.archive(repository))
        .withMessageContaining("is not in " + repository)
        .withMessageContaining(
            "mvn dependency:get -Dartifact=io.openliberty:openliberty-runtime:"
                + OpenLiberty.VERSION
                + ":zip");
  }

  @Test
  void anArchiveOfSomethingElseIsNamedWithWhatItLacks(@TempDir Path folder) throws IOException {
    Path archive = folder.resolve("other.zip");
    try (OutputStream file = Files.newOutputStream(archive);
        ZipOutputStream zip = new ZipOutputStream(file)) {
      zip.putNextEntry(new ZipEntry("wlp/lib/com.ibm.ws.webcontainer_1.jar"));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DefaultExecutor(archive, "test", 8))
        .withMessageContaining(archive + " is not Open Liberty as it is known here")
        .withMessageContaining("com.ibm.ws.threading_*.jar");
  }

  @Test
  void aFileThatIsNoArchiveIsNamed(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("cut-off.zip"), "PK");
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> new DefaultExecutor(file, "test", 8))
        .withMessageContaining(file + " cannot be read");
  }
}
