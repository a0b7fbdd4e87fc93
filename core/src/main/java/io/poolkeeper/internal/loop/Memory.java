package io.poolkeeper.internal.loop;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.internal.FailureLog;
import io.poolkeeper.internal.Log;
import io.poolkeeper.internal.SharedTimer;
import io.poolkeeper.spi.Resumable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The file that keeps the knowledge of a controller. It holds a magic number, a version, the
 * controller, the conditions of its knowledge, the time, the size, the state, and a checksum of
 * all.
 */
public final class Memory {

  private static final int MARK = 0x506B4D31;

  /** Longest file that is read; usual files have a few KB. */
  private static final int LONGEST_FILE = 4 << 20;

  /** Nanoseconds between two writes while the pool works. */
  private static final long INTERVAL = TimeUnit.MINUTES.toNanos(5);

  /** Threads that write; a disk that hangs holds one for each of its files. */
  private static final int WRITERS = 4;

  /** Milliseconds after which an idle thread ends: long enough for pools that write together. */
  private static final int KEEP_ALIVE = 100;

  private static final ThreadPoolExecutor DISK = writers();

  private final Path file;
  private final String pool;
  private final FailureLog failures;
  private @Nullable Resumable<?> controller;

  /** Time of the latest write; null before the first, so that a wrong file is reported at once. */
  private @Nullable Long keptAt;

  // Guarded by this.
  private byte @Nullable [] unwritten;
  private @Nullable CompletableFuture<@Nullable Void> writing;

  /**
   * @param pool its name, for the log
   */
  public Memory(Path file, String pool) {
    this.file = file.toAbsolutePath();
    this.pool = pool;
    this.failures = new FailureLog(pool);
  }

  /** Makes the threads that write the files of all pools, which end soon after the last write. */
  private static ThreadPoolExecutor writers() {
    ThreadPoolExecutor writers =
        new ThreadPoolExecutor(
            WRITERS,
            WRITERS,
            KEEP_ALIVE,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = SharedTimer.daemon(work);
              thread.setName("poolkeeper-memory");
              return thread;
            });
    writers.allowCoreThreadTimeOut(true);
    return writers;
  }

  /**
   * A controller with its remembered knowledge.
   *
   * @param controller controller to use
   * @param size when the file was written, 0 if nothing is remembered
   * @param file file to write, null for none
   */
  public record Recollection(Controller controller, int size, @Nullable Memory file) {

    /** Returns a controller without a file. */
    public static Recollection none(Controller controller) {
      return new Recollection(controller, 0, null);
    }
  }

  /**
   * Reads the file, and returns a controller that continues from it if it fits.
   *
   * @param bounds of the pool; the log says where the size in the file is outside
   * @throws IllegalArgumentException if the state of the controller has a type that cannot be
   *     written
   */
  public <S extends Record> Recollection recall(Resumable<S> fresh, Bounds bounds) {
    controller = fresh;
    String shape = shape(fresh.state());
    try {
      Content content = Content.of(read());
      require("version", content.shape, shape);
      require("controller", content.controller, fresh.name());
      require("conditions", content.conditions, fresh.conditions());
      @SuppressWarnings("unchecked") // The class of a state of S.
      Class<S> type = (Class<S>) fresh.state().getClass();
      Duration pause = Duration.between(content.written, Instant.now());
      S state = RecordCodec.decode(type, content.state);
      Resumable<?> resumed =
          fresh.resume(fresh.doubted(state, pause.isNegative() ? Duration.ZERO : pause));
      controller = resumed;
      Log.info(pool, remembered(content, bounds));
      return new Recollection(resumed, content.size, this);
    } catch (NoSuchFileException e) { // The first start.
      return new Recollection(fresh, 0, this);
    } catch (IOException | RuntimeException e) {
      Log.warn(pool, "ignores " + file + " and learns anew: " + e.getMessage(), null);
      return new Recollection(fresh, 0, this);
    }
  }

  private static String remembered(Content content, Bounds bounds) {
    String remembered = "remembers size %d of %s".formatted(content.size, content.written);
    return bounds.contain(content.size)
        ? remembered
        : "%s, which is outside of its bounds %d..%d: %d is nearest"
            .formatted(remembered, bounds.minimum(), bounds.maximum(), bounds.clamp(content.size));
  }

  private byte[] read() throws IOException {
    requireFile();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(LONGEST_FILE + 1);
      if (content.length > LONGEST_FILE) {
        throw new IOException("the file is too long");
      }
      return content;
    }
  }

  /** Refuses a folder, a pipe that nobody writes to, or a device that must not be replaced. */
  private void requireFile() throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException("it is no regular file");
    }
  }

  private static void require(String what, String found, String expected) throws IOException {
    if (!found.equals(expected)) {
      boolean readable = expected.length() < 100 && found.length() < 100;
      throw new IOException(
          readable
              ? "the file has the %s '%s' instead of '%s'".formatted(what, found, expected)
              : "the file has another " + what);
    }
  }

  private static String shape(Record state) {
    return RecordCodec.shape(state.getClass());
  }

  /**
   * Writes the present state of the controller unless that was done lately. Only the thread that
   * calls the controller may call it.
   *
   * @param now nanoseconds
   * @param size in force
   */
  public void keepIfDue(long now, int size) {
    Long before = keptAt;
    if (before == null || now - before >= INTERVAL) {
      keptAt = now;
      Future<?> unused = keep(size);
    }
  }

  /**
   * Writes the state for the last time, and waits for that. It does not throw.
   *
   * @param size in force
   * @param nanos longest wait
   */
  public void keepLast(int size, long nanos) {
    try {
      keep(size).get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      Log.warn(
          pool,
          "remember: the disk does not answer; the pool may learn anew after a restart",
          null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) { // No memory, for example.
      Log.warn(pool, "the memory file was not written; the pool learns anew after a restart", e);
    }
  }

  /**
   * Writes the present state of the controller, on another thread because a disk may hang. While a
   * write is under way, only the newest of the later states waits for it.
   *
   * @return done once the state is written or the failure is logged
   */
  private Future<?> keep(int size) {
    Resumable<?> current = controller;
    if (current == null) {
      throw new IllegalStateException("nothing was recalled");
    }
    byte[] content =
        new Content(
                shape(current.state()),
                current.name(),
                current.conditions(),
                Instant.now(),
                current.restingSize(size),
                RecordCodec.encode(current.state()))
            .bytes();
    return write(content);
  }

  private synchronized Future<?> write(byte[] content) {
    unwritten = content;
    CompletableFuture<@Nullable Void> current = writing;
    if (current == null || current.isDone()) { // Done without an end if the log had no memory.
      current = CompletableFuture.runAsync(this::writeAll, DISK);
      writing = current;
    }
    return current;
  }

  private void writeAll() {
    for (byte[] content = next(); content != null; content = next()) {
      try {
        replace(content);
        failures.succeeded();
      } catch (Throwable e) { // No space, or no memory.
        failures.failed(
            "remember: cannot write %s: %s; the pool works on, and learns anew after a restart"
                .formatted(file, e),
            null);
      }
    }
  }

  private synchronized byte @Nullable [] next() {
    byte[] content = unwritten;
    unwritten = null;
    if (content == null) {
      writing = null;
    }
    return content;
  }

  private void replace(byte[] content) throws IOException {
    requireFile();
    Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
    try {
      Files.write(unfinished, content);
      Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (Throwable e) {
      removeIfPossible(unfinished);
      throw e;
    }
  }

  private static void removeIfPossible(Path unfinished) {
    try {
      Files.deleteIfExists(unfinished);
    } catch (IOException | RuntimeException e) { // The reason for the first failure says more.
      return;
    }
  }

  /** Content of the file. */
  private record Content(
      String shape,
      String controller,
      String conditions,
      Instant written,
      int size,
      @SuppressWarnings("ArrayRecordComponent") byte[] state) { // Never compared.

    byte[] bytes() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        out.writeInt(MARK);
        out.writeUTF(shape);
        out.writeUTF(controller);
        out.writeUTF(conditions);
        out.writeLong(written.toEpochMilli());
        out.writeInt(size);
        out.writeInt(state.length);
        out.write(state);
        out.writeLong(checksum(bytes.toByteArray()));
      } catch (IOException e) {
        throw new IllegalStateException("an array in memory failed", e);
      }
      return bytes.toByteArray();
    }

    static Content of(byte[] bytes) throws IOException {
      int length = bytes.length - Long.BYTES;
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
        if (length < 0 || in.readInt() != MARK) {
          throw new IOException("the file is not the memory of a pool");
        }
        byte[] checked = new byte[length];
        System.arraycopy(bytes, 0, checked, 0, length);
        if (new DataInputStream(new ByteArrayInputStream(bytes, length, Long.BYTES)).readLong()
            != checksum(checked)) {
          throw new IOException("the file is damaged");
        }
        Content content =
            new Content(
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                Instant.ofEpochMilli(in.readLong()),
                in.readInt(),
                new byte[in.readInt()]);
        in.readFully(content.state);
        return content;
      }
    }

    private static long checksum(byte[] bytes) {
      CRC32 checksum = new CRC32();
      checksum.update(bytes);
      return checksum.getValue();
    }
  }
}
