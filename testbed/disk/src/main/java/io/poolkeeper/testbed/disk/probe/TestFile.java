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

  /**
   * Makes and fills a file, without the page cache where the file system allows it.
   *
   * @param bytes rounded down to whole blocks
   * @throws BadStorage in one line, where the disk is full for example
   */
  public static TestFile make(Path folder, long bytes, int blockBytes) throws BadStorage {
    try {
      int alignment = (int) Files.getFileStore(folder).getBlockSize();
      boolean direct = blockBytes % alignment == 0;
      FileChannel channel;
      try {
        channel = filled(folder, bytes, alignment, direct);
      } catch (UnsupportedOperationException | IOException e) {
        if (!direct || !refusesDirect(e)) {
          throw e;
        }
        direct = false;
        channel = filled(folder, bytes, alignment, false);
      }
      return new TestFile(folder, channel, bytes / blockBytes, blockBytes, alignment, direct);
    } catch (IOException e) {
      throw BadStorage.of(folder, e);
    }
  }

  private static FileChannel filled(Path folder, long bytes, int alignment, boolean direct)
      throws IOException {
    FileChannel channel = open(folder, direct);
    try {
      fill(channel, bytes, alignment);
      return channel;
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

  private static void fill(FileChannel channel, long bytes, int alignment) throws IOException {
    ByteBuffer chunk = aligned(CHUNK, alignment);
    putNoise(chunk);
    for (long written = 0; written < bytes; written += CHUNK) {
      chunk.clear();
      while (chunk.hasRemaining()) {
        channel.write(chunk, written + chunk.position());
      }
    }
    channel.force(true);
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
