package io.poolkeeper.grpc;

import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.poolkeeper.AdaptiveExecutor;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A gRPC server whose calls run on an {@link AdaptiveExecutor}, and which ends with it.
 *
 * <pre>{@code
 * var server = TunedServer.start(ServerBuilder.forPort(8080).addService(new Orders()));
 * }</pre>
 *
 * <p>In place of gRPC's own executor, a shared cached pool without bound. Where others build the
 * server, give them a pool: {@code builder.executor(pool)} is all that {@link #start} does to the
 * builder. gRPC never ends an executor that it was given: close the pool after the server has
 * terminated.
 *
 * <p>A task is the events of a call that wait together, so a unary call is two tasks or three: its
 * beginning, its request, its end. Handlers that fail are no failures of tasks, since gRPC catches
 * what they throw.
 *
 * <p><b>When not to use it.</b> Give the pool no bound of its queue: gRPC does not answer calls
 * whose tasks are refused with a status of their own, but resets them, and loses events of calls
 * that have begun. {@link AdmissionInterceptor} refuses in an orderly way. Calls that stream keep
 * no thread between events; a handler that blocks until the next message of its own call arrives
 * waits for ever on any executor.
 */
public final class TunedServer implements AutoCloseable {

  /** Time for calls to end after {@link #close}; then they are cancelled. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Server server;
  private final AdaptiveExecutor pool;

  private TunedServer(Server server, AdaptiveExecutor pool) {
    this.server = server;
    this.pool = pool;
  }

  /** Starts a server on a pool with the default settings, by the name of {@code grpc-calls}. */
  public static TunedServer start(ServerBuilder<?> builder) throws IOException {
    return start("grpc-calls", builder, pool -> {});
  }

  /**
   * Starts a server on a pool, which replaces any executor that the builder has.
   *
   * @param name name of the pool
   * @param settings changes the description of the pool
   * @throws IOException if the server cannot start, since its port is in use for example; the pool
   *     has ended then
   */
  public static TunedServer start(
      String name, ServerBuilder<?> builder, Consumer<AdaptiveExecutor.Builder> settings)
      throws IOException {
    Objects.requireNonNull(builder, "builder must not be null");
    Objects.requireNonNull(settings, "settings must not be null");
    AdaptiveExecutor.Builder description = AdaptiveExecutor.builder(name);
    settings.accept(description);
    AdaptiveExecutor pool = description.build();
    boolean started = false;
    try {
      Server server = builder.executor(pool).build().start();
      started = true;
      return new TunedServer(server, pool);
    } finally {
      if (!started) {
        pool.close();
      }
    }
  }

  /** The server. */
  public Server server() {
    return server;
  }

  /** The pool that its calls run on. */
  public AdaptiveExecutor pool() {
    return pool;
  }

  /** Refuses new calls, waits ten seconds for those that run, cancels the rest, ends the pool. */
  @Override
  public void close() {
    try {
      if (!server.shutdown().awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        server.shutdownNow().awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    } finally {
      pool.close();
    }
  }
}
