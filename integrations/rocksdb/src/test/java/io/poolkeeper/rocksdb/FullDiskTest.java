package io.poolkeeper.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.Controllers;
import io.poolkeeper.testkit.Conditions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Faults of the file system, on one of 16 MB. Skipped where this user may not mount one. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
@SuppressWarnings("try")
final class FullDiskTest {

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void mount() throws Exception {
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder.toString()),
        "this user may not mount a small file system");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "-l", folder.toString());
  }

  private static boolean run(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(List.of(command))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void loopGoesOnWhenTheDiskIsFullAndWhenThereIsRoomAgain() throws Exception {
    Path ballast = folder.resolve("ballast");
    Files.write(ballast, new byte[10 << 20]);
    try (Store store = Store.open(folder.resolve("db"), 4, 4);
        RocksDbPools pools =
            RocksDbPools.attach(
                store.db,
                loop -> loop.controller(Controllers.fixed(3)).window(Duration.ofMillis(10)),
                loop -> {})) {
      assertThatThrownBy(
              () -> {
                store.put(12_000);
                store.flush();
              })
          .isInstanceOf(RocksDBException.class)
          .hasMessageContaining("No space left");
      var before = pools.flushes().orElseThrow().lastWindow();

      Conditions.await(
          "windows close",
          () -> !pools.flushes().orElseThrow().lastWindow().equals(before) && pools.active());
      assertThat(pools.flushes().orElseThrow().lastWindow().orElseThrow().disk().problem())
          .isEmpty();
      Files.delete(ballast);
      Conditions.await("the database recovers", () -> writes(store));
    }
  }

  private static boolean writes(Store store) {
    try {
      store.put(100);
      store.flush();
      return true;
    } catch (RocksDBException e) {
      return false;
    }
  }

  @Test
  void databaseInAReadOnlyFolderIsTunedOrRefusedInOneLine() throws Exception {
    Path place = folder.resolve("db");
    try (Store store = Store.open(place, 4, 4)) {
      store.put(100);
      store.flush();
    }
    assumeTrue(run("mount", "-o", "remount,ro", folder.toString()), "no remount here");
    assertThatThrownBy(() -> Store.open(place, 4, 4))
        .isInstanceOf(RocksDBException.class)
        .hasMessageContaining("Read-only file system");
    try (RocksDB db = RocksDB.openReadOnly(place.toString());
        RocksDbPools pools = RocksDbPools.attach(db)) {
      assertThat(pools.active()).isTrue();
    }
  }
}
