package io.poolkeeper.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The kit on a gRPC server that runs its calls on a pool. */
abstract class TunedServerKit extends HostKit {

  private final Transport transport;

  TunedServerKit(Transport transport) {
    this.transport = transport;
  }

  @Override
  protected GrpcHost start(int size) throws Exception {
    return new GrpcHost(transport, size);
  }

  /** A server in use. */
  private static final class GrpcHost implements Host {
    final WorkService service = new WorkService();
    final Transport transport;
    final int size;
    final CallEnds ends = new CallEnds();
    TunedServer server;
    ManagedChannel channel;

    GrpcHost(Transport transport, int size) throws IOException {
      this.transport = transport;
      this.size = size;
      server = open();
      channel = transport.channel(server.server());
    }

    private TunedServer open() throws IOException {
      return TunedServer.start(
          "calls",
          transport.server().intercept(ends).addService(service.definition()),
          pool ->
              pool.bounds(BOUNDS.minimum(), BOUNDS.maximum())
                  .initialSize(size)
                  .mode(Mode.FROZEN)
                  .window(WINDOW)
                  .hangAfter(HANG));
    }

    @Override
    public Resizable pool() {
      return server.pool();
    }

    @Override
    public ControlLoop loop() {
      return server.pool().control();
    }

    /** Ends with the last task of the call, which comes after its answer: one task a client. */
    @Override
    public void call(Runnable work) {
      ends.await(channel, observed -> service.call(observed, work));
    }

    @Override
    public int capacity() {
      return server.pool().getPoolSize();
    }

    @Override
    public void restart() throws Exception {
      close();
      server = open();
      channel = transport.channel(server.server());
    }

    @Override
    public void close() {
      Transport.end(channel);
      server.close();
    }
  }

  @Test
  void callThatThrowsCostsNoWorker() throws Exception {
    try (GrpcHost host = start(1)) {
      assertThatThrownBy(
              () ->
                  host.call(
                      () -> {
                        throw new IllegalStateException("as planned");
                      }))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageStartingWith("UNKNOWN");
      host.call(() -> {});
    }
  }

  @Test
  void callsRunOnThreadsOfThePool() throws Exception {
    try (GrpcHost host = start(4)) {
      AtomicReference<Thread> thread = new AtomicReference<>();
      host.call(() -> thread.set(Thread.currentThread()));
      assertThat(host.server.pool().workers()).contains(thread.get());
    }
  }

  @Test
  void callWhoseDeadlineHasPassedInTheQueueDoesNotStart() throws Exception {
    try (GrpcHost host = start(1);
        HostLoad load = new HostLoad(host, 1)) {
      load.awaitInside(1);
      AtomicReference<Thread> thread = new AtomicReference<>();
      CompletableFuture<Void> late =
          CompletableFuture.runAsync(
              () ->
                  host.service.call(
                      afterItsDeadline(host.channel), () -> thread.set(Thread.currentThread())));
      AdaptiveExecutor pool = host.server.pool();
      Conditions.await("the late call waits", () -> pool.queued() > 0);
      load.end();
      assertThatThrownBy(late::join).hasCauseInstanceOf(StatusRuntimeException.class);
      Conditions.await("the queue is empty", () -> pool.queued() == 0);
      Conditions.await("nothing runs", () -> pool.getActiveCount() == 0);
      assertThat(thread).hasNullValue();
    }
  }

  /**
   * A channel whose calls have passed their deadline when they reach the server. A deadline that
   * passes later could do so after the worker has become free.
   */
  private static Channel afterItsDeadline(Channel channel) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("grpc-timeout", Metadata.ASCII_STRING_MARSHALLER), "0n");
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  @Test
  void closeEndsThePoolOnceCallsHaveEnded() throws Exception {
    GrpcHost host = start(2);
    AdaptiveExecutor pool = host.server.pool();
    host.call(() -> {});
    host.close();
    assertThat(host.server.server().isTerminated()).isTrue();
    assertThat(pool.isTerminated()).isTrue();
  }
}
