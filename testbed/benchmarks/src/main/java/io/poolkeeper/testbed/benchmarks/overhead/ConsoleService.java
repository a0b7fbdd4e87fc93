package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.console.Console;
import io.poolkeeper.testbed.commands.Service;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.logging.LogManager;
import java.util.stream.IntStream;

/** A service with many pools, windows of 500 ms, and tasks of 10 ms or so for all of them. */
final class ConsoleService implements AutoCloseable {

  /** For each pool. */
  static final int TASKS_PER_SECOND = 20;

  static final String FIRST_POOL = "pool-001";

  private static final int POOLS = 100;
  private static final long TASK_NANOS = 10_000_000;

  private final List<AdaptiveExecutor> pools;
  private final Traffic traffic;

  ConsoleService(int count) {
    pools = IntStream.rangeClosed(1, count).mapToObj(ConsoleService::pool).toList();
    traffic = new Traffic(pools, TASKS_PER_SECOND, TASK_NANOS);
  }

  private static AdaptiveExecutor pool(int number) {
    return AdaptiveExecutor.builder("pool-%03d".formatted(number))
        .bounds(1, 32)
        .window(Duration.ofMillis(500))
        .jmx(false)
        .build();
  }

  /** Serves a console with 100 pools, whose address it prints, until its input ends. */
  public static void main(String[] arguments) throws IOException {
    LogManager.getLogManager().reset(); // Whoever starts it reads the address and nothing else.
    try (ConsoleService service = new ConsoleService(POOLS);
        Console console = service.openConsole()) {
      System.out.println(console.address());
      Service.awaitEnd(System.in);
    }
  }

  Console openConsole() throws IOException {
    Console console = Console.open();
    pools.forEach(console::watch);
    return console;
  }

  @Override
  public void close() {
    traffic.close();
    pools.forEach(AdaptiveExecutor::close);
  }
}
