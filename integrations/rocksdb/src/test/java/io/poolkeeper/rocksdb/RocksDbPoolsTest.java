package io.poolkeeper.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.linux.NamedThreads;
import io.poolkeeper.linux.Proc;
import io.poolkeeper.testkit.Conditions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.Options;
import org.rocksdb.Priority;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksMemEnv;

/** Every trap of RocksDB's threads, on the real library. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
@SuppressWarnings("try")
final class RocksDbPoolsTest {

  private static final Consumer<ControlLoop.Builder> FROZEN =
      loop -> loop.mode(Mode.FROZEN).window(Duration.ofMillis(20));

  @TempDir private Path folder = Path.of("");

  private static int threads(Priority priority) {
    return Env.getDefault().getBackgroundThreads(priority);
  }

  private static Consumer<ControlLoop.Builder> fixed(int size) {
    return loop -> loop.controller(Controllers.fixed(size)).window(Duration.ofMillis(1));
  }

  /** Makes settings that hand out the pool of a loop. */
  private static Consumer<ControlLoop.Builder> frozen(CompletableFuture<Resizable> pool) {
    return loop ->
        loop.mode(Mode.FROZEN)
            .window(Duration.ofMillis(20))
            .listener(
                new ControlListener() {
                  @Override
                  public void onWindow(Resizable tuned, Window window) {
                    pool.complete(tuned);
                  }
                });
  }

  @Test
  void databaseOpenedWithoutCeilingsIsRefused() throws Exception {
    try (Store store = Store.open(folder, new DBOptions())) {
      assertThatThrownBy(() -> RocksDbPools.attach(store.db))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("opened for one flush and one compaction")
          .hasMessageContaining("RocksDbPools.allow(options, 16, 8)");
    }
    try (Store store = Store.open(folder, 4, 4);
        RocksDbPools pools = RocksDbPools.attach(store.db)) { // The refusal left nothing behind.
      assertThat(pools.active()).isTrue();
    }
  }

  @Test
  void ceilingsBelowOneAreRefused() {
    try (DBOptions options = new DBOptions()) {
      assertThatThrownBy(() -> RocksDbPools.allow(options, 0, 4))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("flushes and compactions must be 1 or more, but are 0 and 4");
      assertThatThrownBy(() -> RocksDbPools.allow(options, 4, -1)).hasMessageContaining("4 and -1");
    }
  }

  @Test
  void ceilingsOfTheDatabaseAreTheBounds() throws Exception {
    CompletableFuture<Resizable> flushes = new CompletableFuture<>();
    CompletableFuture<Resizable> compactions = new CompletableFuture<>();
    try (Store store = Store.open(folder, new DBOptions().setMaxBackgroundJobs(16));
        RocksDbPools pools = RocksDbPools.attach(store.db, frozen(flushes), frozen(compactions))) {
      assertThat(flushes.get().bounds()).isEqualTo(new Bounds(1, 4));
      assertThat(compactions.get().bounds()).isEqualTo(new Bounds(1, 12));
    }
    CompletableFuture<Resizable> alone = new CompletableFuture<>();
    try (Store store = Store.open(folder.resolve("other"), 8, 1);
        RocksDbPools pools = RocksDbPools.attach(store.db, frozen(alone), FROZEN)) {
      assertThat(alone.get().bounds()).isEqualTo(new Bounds(1, 8));
      assertThat(pools.compactions()).isEmpty();
    }
  }

  @Test
  void sizeIsSetAfterOpeningRaisedIt() throws Exception {
    try (Store store = Store.open(folder, 11, 9)) {
      assertThat(threads(Priority.HIGH)).isGreaterThanOrEqualTo(11);
      Consumer<ControlLoop.Builder> patient = loop -> loop.window(Duration.ofHours(1));
      try (RocksDbPools pools = RocksDbPools.attach(store.db, patient, patient)) {
        assertThat(threads(Priority.HIGH))
            .isEqualTo(Math.min(11, Runtime.getRuntime().availableProcessors()));
      }
      assertThat(threads(Priority.HIGH)).as("given back").isGreaterThanOrEqualTo(11);
      assertThat(threads(Priority.LOW)).isGreaterThanOrEqualTo(9);
    }
  }

  @Test
  void dryRunLeavesTheThreadsAsTheyAre() throws Exception {
    try (Store store = Store.open(folder, 11, 9)) {
      int before = threads(Priority.HIGH);
      Consumer<ControlLoop.Builder> dry = fixed(3).andThen(loop -> loop.mode(Mode.DRY_RUN));
      try (RocksDbPools pools = RocksDbPools.attach(store.db, dry, dry)) {
        ControlLoop loop = pools.flushes().orElseThrow();
        Conditions.await("it has decided", () -> loop.lastStep().isPresent());
        assertThat(threads(Priority.HIGH)).isEqualTo(before);
      }
    }
  }

  @Test
  void threadsGrowAndShrinkUnderLoad() throws Exception {
    CompletableFuture<Resizable> flushes = new CompletableFuture<>();
    try (Store store = Store.open(folder, 8, 2);
        RocksDbPools pools = RocksDbPools.attach(store.db, frozen(flushes), FROZEN);
        NamedThreads threads = new NamedThreads(Proc.ofMachine(), "rocksdb:high")) {
      for (int size : List.of(5, 1, 8, 3)) {
        flushes.get().resize(size);
        store.put(2_000);
        Conditions.await(
            () -> "threads are " + size + ", but " + threads.measure().threads(),
            () -> threads.measure().threads() == size);
        assertThat(flushes.get().size()).isEqualTo(size);
      }
      assertThatThrownBy(() -> flushes.get().resize(9)).hasMessageContaining("9");
      assertThat(threads(Priority.HIGH)).isEqualTo(3);
    }
  }

  @Test
  void decisionsWriteNoOptionsFile() throws Exception {
    CompletableFuture<Resizable> flushes = new CompletableFuture<>();
    try (Store store = Store.open(folder, 8, 2);
        RocksDbPools pools = RocksDbPools.attach(store.db, frozen(flushes), FROZEN)) {
      List<String> before = optionsFiles();
      for (int i = 0; i < 50; i++) {
        flushes.get().resize(1 + i % 8);
      }
      assertThat(optionsFiles()).isEqualTo(before);
    }
  }

  private List<String> optionsFiles() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(Path::toString).filter(name -> name.contains("OPTIONS")).sorted().toList();
    }
  }

  @Test
  void windowsHoldWhatFlushesWrote() throws Exception {
    AtomicLong bytes = new AtomicLong();
    AtomicLong tasks = new AtomicLong();
    AtomicLong unmeasured = new AtomicLong();
    ControlListener sums =
        new ControlListener() {
          @Override
          public void onWindow(Resizable pool, Window window) {
            bytes.addAndGet(window.disk().logicalBytes());
            tasks.addAndGet(window.completions());
            unmeasured.addAndGet(window.disk().measured() ? 0 : 1);
          }
        };
    try (Store store = Store.open(folder, 4, 2);
        RocksDbPools pools =
            RocksDbPools.attach(store.db, FROZEN.andThen(loop -> loop.listener(sums)), FROZEN)) {
      store.put(20_000);
      store.flush();
      Conditions.await(() -> "20 MB were written: " + bytes, () -> bytes.get() > 20_000_000);
      Conditions.await(() -> "tasks are megabytes: " + tasks, () -> tasks.get() >= 20);
      assertThat(bytes.get()).isLessThan(60_000_000);
      assertThat(unmeasured).hasValue(0);
    }
  }

  @Test
  void databaseMayBeClosedWhileItsLoopRuns() throws Exception {
    for (int round = 0; round < 10; round++) {
      Store store = Store.open(folder, 4, 4);
      RocksDbPools pools = RocksDbPools.attach(store.db, fixed(1 + round % 4), fixed(2));
      store.put(3_000);
      store.close();
      Conditions.await("the loops end with the database", () -> !pools.active());
      pools.close();
    }
  }

  /** As when a database is closed, which its attachment notices by itself, and then that. */
  @Test
  void whoeverClosesWhileAnotherDoesWaitsForIt() throws Exception {
    CountDownLatch closes = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    ControlListener blocking =
        new ControlListener() {
          @Override
          public void onClose(Resizable pool) {
            closes.countDown();
            try {
              mayEnd.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    try (Store store = Store.open(folder, 4, 4)) {
      RocksDbPools pools =
          RocksDbPools.attach(store.db, loop -> loop.listener(blocking), loop -> {});
      CompletableFuture<Void> first = CompletableFuture.runAsync(pools::close);
      closes.await();
      FutureTask<Void> second =
          new FutureTask<>(
              () -> {
                pools.close();
                RocksDbPools.attach(store.db).close();
                return null;
              });
      Thread closer = new Thread(second);
      closer.start();
      Conditions.await(
          "the second one waits",
          () -> closer.getState() == Thread.State.BLOCKED || second.isDone());
      mayEnd.countDown();
      second.get();
      first.get();
    }
  }

  @Test
  void secondAttachmentIsRefusedUntilTheFirstIsClosed() throws Exception {
    try (Store store = Store.open(folder, 4, 4);
        Store other = Store.open(folder.resolve("other"), 4, 4)) {
      RocksDbPools first = RocksDbPools.attach(store.db);
      for (RocksDB db : List.of(store.db, other.db)) {
        assertThatThrownBy(() -> RocksDbPools.attach(db))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("all databases of the process share the threads");
      }
      assertThat(first.active()).isTrue();
      first.close();
      first.close();
      RocksDbPools.attach(other.db).close();
    }
  }

  @Test
  void sizeHoldsWhenASecondDatabaseOpensOnTheEnvironment() throws Exception {
    Store store = Store.open(folder, 4, 4);
    RocksDbPools pools = RocksDbPools.attach(store.db, fixed(2), fixed(3));
    try (Store other = Store.open(folder.resolve("other"), 20, 20)) { // Raises both to 20.
      Conditions.await("flush threads are 2 again", () -> threads(Priority.HIGH) == 2);
      Conditions.await("compaction threads are 3 again", () -> threads(Priority.LOW) == 3);

      store.close();

      Conditions.await("the attachment ends", () -> !pools.active());
      other.put(5_000);
      other.flush();
    }
  }

  @Test
  void controllerOutOfBoundsLeavesNoAttachmentAndNoLoopBehind() throws Exception {
    try (Store store = Store.open(folder, 4, 4)) {
      int before = threads(Priority.HIGH);
      assertThatThrownBy(() -> RocksDbPools.attach(store.db, fixed(2), fixed(99)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("99");
      assertThat(threads(Priority.HIGH)).isEqualTo(before);
      RocksDbPools.attach(store.db).close();
    }
  }

  @Test
  void environmentOfItsOwnIsRefused() throws Exception {
    try (RocksMemEnv env = new RocksMemEnv(Env.getDefault());
        Options options = RocksDbPools.allow(new Options(), 4, 4).setEnv(env);
        RocksDB db = RocksDB.open(options.setCreateIfMissing(true), "/memory")) {
      assertThatThrownBy(() -> RocksDbPools.attach(db)).hasMessageContaining("of its own");
    }
  }

  @Test
  void closedDatabaseIsRefused() throws Exception {
    Store store = Store.open(folder, 4, 4);
    store.close();
    assertThatThrownBy(() -> RocksDbPools.attach(store.db))
        .hasMessage("cannot attach: the database is closed");
  }

  @Test
  void databaseThatIsOpenForReadingAloneKeepsItsThreadsIdle() throws Exception {
    try (Store store = Store.open(folder, 4, 4)) {
      store.put(1_000);
      store.flush();
    }
    CompletableFuture<Window> seen = new CompletableFuture<>();
    ControlListener first =
        new ControlListener() {
          @Override
          public void onWindow(Resizable pool, Window window) {
            seen.complete(window);
          }
        };
    try (RocksDB db = RocksDB.openReadOnly(folder.toString());
        RocksDbPools pools = RocksDbPools.attach(db, loop -> loop.listener(first), loop -> {})) {
      assertThat(seen.get().completions()).isZero();
      assertThat(seen.get().disk().problem()).isEmpty();
    }
  }
}
