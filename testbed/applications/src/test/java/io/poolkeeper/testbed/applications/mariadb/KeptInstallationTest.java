package io.poolkeeper.testbed.applications.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.vorburger.exec.ManagedProcessException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeptInstallationTest {

  private static final String PROGRAM = "bin/program";
  private static final String TABLE = "tables/empty";

  @TempDir private Path folder = Path.of("");

  private final AtomicInteger installed = new AtomicInteger();

  /** Folders of one database. */
  private record Folders(Path base, Path data) {}

  private Folders provide(String database) throws IOException, ManagedProcessException {
    Path base = Files.createDirectories(folder.resolve(database).resolve("base"));
    Path data = Files.createDirectories(folder.resolve(database).resolve("data"));
    kept().provide(base, data, () -> install(base, data));
    return new Folders(base, data);
  }

  private KeptInstallation kept() {
    return new KeptInstallation(folder.resolve("kept"), "1");
  }

  private void install(Path base, Path data) {
    try {
      write(base.resolve(PROGRAM), "program " + installed.incrementAndGet());
      write(data.resolve(TABLE), "empty");
      assertThat(base.resolve(PROGRAM).toFile().setExecutable(true)).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    Files.writeString(file, text);
  }

  @Test
  void laterDatabasesShareTheProgramsAndHaveTablesOfTheirOwn() throws Exception {
    Folders first = provide("first");
    Files.writeString(first.data().resolve(TABLE), "rows of the first");
    Folders second = provide("second");
    assertThat(second.base().resolve(PROGRAM)).hasContent("program 1").isExecutable();
    assertThat(second.data().resolve(TABLE)).hasContent("empty");
    Files.writeString(second.data().resolve(TABLE), "rows of the second");
    assertThat(provide("third").data().resolve(TABLE)).hasContent("empty");
    assertThat(installed).hasValue(1);
  }

  @Test
  void thoseThatStartTogetherInstallOnce() {
    CompletableFuture<?>[] databases =
        IntStream.range(0, 4)
            .mapToObj(
                i ->
                    CompletableFuture.runAsync(
                        () -> {
                          try {
                            assertThat(provide("database" + i).data().resolve(TABLE)).exists();
                          } catch (IOException | ManagedProcessException e) {
                            throw new AssertionError(e);
                          }
                        }))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(databases).join();
    assertThat(installed).hasValue(1);
  }

  @Test
  void aFailureKeepsNothing() throws Exception {
    Path base = Files.createDirectories(folder.resolve("base"));
    assertThatThrownBy(
            () ->
                kept()
                    .provide(
                        base,
                        folder.resolve("data"),
                        () -> {
                          write(base.resolve(PROGRAM));
                          throw new ManagedProcessException("the disk is full");
                        }))
        .hasMessage("the disk is full");
    provide("next");
    assertThat(installed).hasValue(1);
  }

  private static void write(Path file) {
    try {
      write(file, "half");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aHalfOfAKilledProcessIsReplaced() throws Exception {
    write(folder.resolve("kept/1.partial/base").resolve(PROGRAM), "half");
    provide("first");
    assertThat(provide("second").base().resolve(PROGRAM)).hasContent("program 1");
    assertThat(folder.resolve("kept/1.partial")).doesNotExist();
  }

  @Test
  void aFolderThatIsNoneIsToldWithTheVariableThatNamesIt() throws Exception {
    Files.writeString(folder.resolve("kept"), "a file");
    assertThatThrownBy(() -> provide("first"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("with POOLKEEPER_MARIADB=" + folder.resolve("kept") + ": ");
  }

  @Test
  void eachVersionHasItsOwn() throws Exception {
    provide("first");
    Path base = Files.createDirectories(folder.resolve("other/base"));
    Path data = Files.createDirectories(folder.resolve("other/data"));
    new KeptInstallation(folder.resolve("kept"), "2")
        .provide(base, data, () -> install(base, data));
    assertThat(installed).hasValue(2);
  }
}
