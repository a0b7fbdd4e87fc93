package io.poolkeeper.testbed.disk;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.commands.Folders;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file system of 64 MB on a disk, for tests of faults; skipped where this user may mount none.
 */
public final class SmallDisk implements AutoCloseable {

  private static final long BYTES = 64 << 20;

  private final Path parent;
  private final Path folder;

  private SmallDisk(Path parent, Path folder) {
    this.parent = parent;
    this.folder = folder;
  }

  /** Makes and mounts one, or skips the test with the reason. */
  public static SmallDisk mount() throws IOException {
    Path parent =
        Files.createTempDirectory(
            Files.createDirectories(Path.of("target", "folders").toAbsolutePath()), "disk");
    Path image = parent.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(BYTES);
    }
    SmallDisk disk = new SmallDisk(parent, Files.createDirectory(parent.resolve("mounted")));
    boolean mounted =
        succeeds("mkfs.ext4", "-q", "-m", "0", image.toString())
            && succeeds("mount", "-o", "loop", image.toString(), disk.folder.toString());
    if (!mounted) {
      Folders.delete(parent);
    }
    assumeTrue(mounted, "needs mkfs.ext4, a loop device, and root");
    return disk;
  }

  private static boolean succeeds(String... command) {
    try {
      return new ProcessBuilder(Arrays.asList(command))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns the folder of its files. */
  public Path folder() {
    return folder;
  }

  /** Returns the free bytes. */
  public long free() throws IOException {
    return Files.getFileStore(folder).getUsableSpace();
  }

  /** Fills it to the last byte. */
  public void fill() throws IOException {
    try (RandomAccessFile ballast =
        new RandomAccessFile(folder.resolve("ballast").toFile(), "rw")) {
      for (int piece : new int[] {1 << 20, 1024}) {
        fill(ballast, new byte[piece]);
      }
    }
  }

  private static void fill(RandomAccessFile ballast, byte[] piece) {
    try {
      ballast.seek(ballast.length());
      while (true) {
        ballast.write(piece);
      }
    } catch (IOException full) {
      return;
    }
  }

  /** Lets nobody write to it any more. */
  public void makeReadOnly() {
    assumeTrue(succeeds("mount", "-o", "remount,ro", folder.toString()), "no remount here");
  }

  @Override
  public void close() throws IOException {
    succeeds("umount", "-l", folder.toString());
    Folders.delete(parent);
  }
}
