package io.poolkeeper.testbed.disk.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.poolkeeper.testbed.disk.FolderOnDisk;
import io.poolkeeper.testbed.disk.SmallDisk;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

final class TestFileTest {

  private static final int BLOCK = 4096;

  private final Path folder;

  TestFileTest(@TempDir(factory = FolderOnDisk.class) Path folder) {
    this.folder = folder;
  }

  private static byte[] content(TestFile file) throws Exception {
    ByteBuffer block = file.block();
    file.access(Access.READ, block, new SplittableRandom(1));
    byte[] content = new byte[BLOCK];
    block.flip().get(content);
    return content;
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "READ")
  void whatIsWrittenIsNoiseAndNeverTheSame(Access access) throws Exception {
    try (TestFile file = TestFile.make(folder, BLOCK, BLOCK)) {
      SplittableRandom random = new SplittableRandom(7);
      byte[] first = content(file);
      ByteBuffer block = file.block();
      file.access(access, block, random);
      byte[] second = content(file);
      file.access(access, block, random);
      byte[] third = content(file);
      for (int part = 0; part < BLOCK; part += 512) {
        byte[] zeros = new byte[512];
        assertThat(Arrays.copyOfRange(second, part, part + 512))
            .as("of bytes from %d on", part)
            .isNotEqualTo(zeros)
            .isNotEqualTo(Arrays.copyOfRange(first, part, part + 512))
            .isNotEqualTo(Arrays.copyOfRange(third, part, part + 512));
      }
    }
  }

  @Test
  void otherProcessesCanOpenItThoughItHasNoName() throws Exception {
    try (TestFile file = TestFile.make(folder, 3 * BLOCK + 1, BLOCK)) {
      assertThat(folder).isEmptyDirectory();
      assertThat(file.bytes()).isEqualTo(3 * BLOCK);
      byte[] read = Files.readAllBytes(file.path());
      assertThat(Arrays.copyOf(read, BLOCK)).isNotEqualTo(new byte[BLOCK]);
    }
  }

  /** As on a disk on which a block takes a tenth of a measurement. */
  @Test
  void blockCountsWhereItEnds() throws Exception {
    AtomicLong clock = new AtomicLong();
    try (TestFile file = TestFile.make(folder, BLOCK, BLOCK)) {
      ThroughputMeter meter =
          new ThroughputMeter(
              file, Duration.ofNanos(10_000), () -> clock.getAndAdd(900)); // A block takes 900 ns.
      assertThat(meter.lead()).isEqualTo(Duration.ofNanos(1_000));
      assertThat(meter.measure(Access.READ, 1)).isCloseTo(BLOCK / 900e-9, withinPercentage(1e-6));
    }
  }

  @Test
  void slowDiskGetsASmallerFile() throws Exception {
    try (TestFile file = TestFile.make(folder, 40 << 20, BLOCK, Duration.ZERO)) {
      assertThat(file.bytes()).isEqualTo(16 << 20);
    }
    try (TestFile file = TestFile.make(folder, 20 << 20, BLOCK, Duration.ofMinutes(5))) {
      assertThat(file.bytes()).isEqualTo(20 << 20);
    }
  }

  @Test
  void fullDiskIsNamedAndItsSpaceGivenBack() throws Exception {
    try (SmallDisk disk = SmallDisk.mount()) {
      long free = disk.free();
      assertThatThrownBy(() -> TestFile.make(disk.folder(), 2 * free, 1 << 16))
          .isInstanceOf(BadStorage.class)
          .hasMessage(disk.folder() + ": the disk is full");
      assertThat(disk.free()).isEqualTo(free);
    }
  }
}
