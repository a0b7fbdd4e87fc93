package io.poolkeeper.testbed.disk.probe;

import io.poolkeeper.testbed.disk.Leftovers;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The file that is read and written. It has no name any more once it is open, so the kernel frees
 * it whatever ends this process, a kill included.
 */
public final class TestFile implements AutoCloseable {

  private static final int CHUNK = 1 << 20;

  /** Content of what is written: a disk may compress it, or keep zeros elsewhere. */
  private static final byte[] NOISE = new byte[CHUNK];

  static {
    new SplittableRandom(1).nextBytes(NOISE);
  }

  /** Bytes that are filled however long it takes. */
  static final long LEAST_BYTES = 16 << 20;

  /** Distance of two marks in a block that is written. */
  private static final int MARKS = 512;

  private final Path folder;
  private final FileChannel channel;
  private final long blocks;
  private final int blockBytes;
  private final int alignment;
  private final boolean direct;

  private TestFile(
      Path folder,
      FileChannel channel,
      long blocks,
      int blockBytes,
      int alignment,
      boolean direct) {
    this.folder = folder;
    this.channel = channel;
    this.blocks = blocks;
    this.blockBytes = blockBytes;
    this.alignment = alignment;
    this.direct = direct;
  }

  /** Makes and fills a file, however long that takes. */
  public static TestFile make(Path folder, long bytes, int blockBytes) throws BadStorage {
    return make(folder, bytes, blockBytes, ChronoUnit.FOREVER.getDuration());
  }

  /**
   * Makes and fills a file, without the page cache where the file system allows it.
   *
   * @param bytes rounded down to whole blocks
   * @param longest time after which no more is filled: a slow disk gets a smaller file, of {@value
   *     #LEAST_BYTES} bytes and four blocks at least
   * @throws BadStorage in one line, where the disk is full for example
   */
  public static TestFile make(Path folder, long bytes, int blockBytes, Duration longest)
      throws BadStorage {
    try {
      int alignment = (int) Files.getFileStore(folder).getBlockSize();
      boolean direct = blockBytes % alignment == 0;
      long least = Math.max(LEAST_BYTES, 4L * blockBytes);
      Filled filled;
      try {
        filled = fill(folder, bytes, alignment, direct, least, longest);
      } catch (UnsupportedOperationException | IOException e) {
        if (!direct || !refusesDirect(e)) {
          throw e;
        }
        direct = false;
        filled = fill(folder, bytes, alignment, false, least, longest);
      }
      return new TestFile(
          folder, filled.channel, filled.bytes / blockBytes, blockBytes, alignment, direct);
    } catch (IOException e) {
      throw BadStorage.of(folder, e);
    }
  }

  private record Filled(FileChannel channel, long bytes) {}

  private static Filled fill(
      Path folder, long bytes, int alignment, boolean direct, long least, Duration longest)
      throws IOException {
    FileChannel channel = open(folder, direct);
    try {
      return new Filled(channel, fill(channel, bytes, alignment, least, longest));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static boolean refusesDirect(Exception e) {
    return e instanceof UnsupportedOperationException
        || String.valueOf(e.getMessage()).contains("Invalid argument");
  }

  private static FileChannel open(Path folder, boolean direct) throws IOException {
    Set<OpenOption> options =
        new HashSet<>(
            Set.of(
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE));
    if (direct) {
      options.add(directOption());
    }
    Path file = Leftovers.named(folder, "file");
    FileChannel channel = FileChannel.open(file, options);
    Files.deleteIfExists(file); // Its blocks are freed when the process ends, in whatever way.
    return channel;
  }

  /** By its name: compilers of later JDKs warn of its class, and warnings are errors. */
  private static OpenOption directOption() {
    try {
      Object option =
          Class.forName("com.sun.nio.file.ExtendedOpenOption").getField("DIRECT").get(null);
      return (OpenOption) Objects.requireNonNull(option);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("this JDK knows no direct input and output", e);
    }
  }

  /** Returns the bytes that were filled. */
  private static long fill(
      FileChannel channel, long bytes, int alignment, long least, Duration longest)
      throws IOException {
    ByteBuffer chunk = aligned(CHUNK, alignment);
    putNoise(chunk);
    long start = System.nanoTime();
    long written = 0;
    for (; written < bytes; written += CHUNK) {
      if (written >= least && Duration.ofNanos(System.nanoTime() - start).compareTo(longest) > 0) {
        break;
      }
      chunk.clear();
      while (chunk.hasRemaining()) {
        channel.write(chunk, written + chunk.position());
      }
    }
    channel.force(true);
    return Math.min(bytes, written);
  }

  private static ByteBuffer aligned(int bytes, int alignment) {
    return ByteBuffer.allocateDirect(bytes + alignment)
        .alignedSlice(alignment)
        .limit(bytes)
        .slice();
  }

  private static void putNoise(ByteBuffer buffer) {
    while (buffer.hasRemaining()) {
      buffer.put(NOISE, 0, Math.min(CHUNK, buffer.remaining()));
    }
  }

  /** Whether reads and writes pass by the page cache. */
  public boolean direct() {
    return direct;
  }

  /** Returns the bytes of all blocks. */
  public long bytes() {
    return blocks * blockBytes;
  }

  /** Returns the bytes of one read or write. */
  public int blockBytes() {
    return blockBytes;
  }

  /** Returns the folder that it was made in. */
  Path folder() {
    return folder;
  }

  /**
   * Returns a path by which other processes of this user can open it, as long as it is open here.
   *
   * @throws IOException if this process has no {@code /proc}
   */
  public Path path() throws IOException {
    Path name = Leftovers.named(folder.toRealPath(), "file");
    Path own = Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "fd");
    try (DirectoryStream<Path> open = Files.newDirectoryStream(own)) {
      for (Path each : open) {
        if (isLinkTo(name, each)) {
          return each;
        }
      }
    }
    throw new IOException(own + ": does not show the open file");
  }

  /** A descriptor may be closed while all are looked at. */
  private static boolean isLinkTo(Path name, Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith(name.toString());
    } catch (IOException e) {
      return false;
    }
  }

  /** Makes the buffer of one thread, full of noise. */
  ByteBuffer block() {
    ByteBuffer block = aligned(blockBytes, alignment);
    putNoise(block);
    return block;
  }

  /** Reads or writes one block at a random place. */
  void access(Access access, ByteBuffer block, SplittableRandom random) throws IOException {
    block.clear();
    if (access != Access.READ) {
      mark(block, random.nextLong());
    }
    access.run(channel, block, random.nextLong(blocks) * blockBytes);
  }

  /** Makes a block differ from all others, since a disk may store equal ones once. */
  private static void mark(ByteBuffer block, long mark) {
    for (int place = 0; place < block.limit(); place += MARKS) {
      block.putLong(place, mark + place);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
