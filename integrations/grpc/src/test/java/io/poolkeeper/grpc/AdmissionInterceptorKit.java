package io.poolkeeper.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import io.poolkeeper.testkit.WindowSums;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The kit on a gRPC server with a limit in front. */
abstract class AdmissionInterceptorKit extends HostKit {

  private final Transport transport;

  AdmissionInterceptorKit(Transport transport) {
    this.transport = transport;
  }

  @Override
  protected LimitedHost start(int size) throws Exception {
    return start(size, null);
  }

  private LimitedHost start(int size, @Nullable ServerInterceptor behind) throws Exception {
    return new LimitedHost(transport, size, behind);
  }

  /** Virtual threads where this JDK has them, else a thread for each task. */
  private static ExecutorService threads() {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) {
      return Executors.newCachedThreadPool();
    }
  }

  /** A server in use. */
  private static final class LimitedHost implements Host {
    final WorkService service = new WorkService();
    final ExecutorService threads = threads();
    final Transport transport;
    final int size;
    final @Nullable ServerInterceptor behind;
    AdmissionInterceptor admission;
    Server server;
    ManagedChannel channel;

    LimitedHost(Transport transport, int size, @Nullable ServerInterceptor behind)
        throws IOException {
      this.transport = transport;
      this.size = size;
      this.behind = behind;
      admission = admission();
      server = open();
      channel = transport.channel(server);
    }

    private AdmissionInterceptor admission() {
      return new AdmissionInterceptor(
              AdaptiveLimiter.builder("calls")
                  .bounds(BOUNDS.minimum(), BOUNDS.maximum())
                  .initialSize(size)
                  .mode(Mode.FROZEN)
                  .window(WINDOW)
                  .hangAfter(HANG)
                  .build())
          .patience(Duration.ofMinutes(5));
    }

    private Server open() throws IOException {
      var builder = transport.server().executor(threads).addService(service.definition());
      if (behind != null) {
        builder.intercept(behind);
      }
      return builder.intercept(admission).build().start();
    }

    @Override
    public Resizable pool() {
      return admission.limiter();
    }

    @Override
    public ControlLoop loop() {
      return admission.limiter().control();
    }

    @Override
    public void call(Runnable work) {
      service.call(channel, work);
    }

    @Override
    public int capacity() {
      return admission.limiter().inUse();
    }

    private void stop() {
      Transport.end(channel);
      Transport.end(server);
      admission.limiter().close();
    }

    @Override
    public void restart() throws Exception {
      stop();
      admission = admission();
      server = open();
      channel = transport.channel(server);
    }

    @Override
    public void close() {
      stop();
      threads.shutdown();
    }
  }

  @Test
  void callThatIsNotAdmittedIsToldSoAndWhenToRetry() throws Exception {
    try (LimitedHost host = start(2);
        HostLoad load = new HostLoad(host, 2)) {
      load.awaitInside(2);
      host.admission.patience(Duration.ZERO).retryAfter(Duration.ofMillis(250));
      assertThatThrownBy(() -> host.call(() -> {}))
          .hasMessage("RESOURCE_EXHAUSTED: calls: 2 calls run, which is the limit; try again later")
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> {
                Metadata trailers = e.getTrailers();
                assertThat(trailers).isNotNull();
                assertThat(trailers.get(AdmissionInterceptor.PUSHBACK)).isEqualTo("250");
              });
      host.admission.refuseWith(Status.UNAVAILABLE);
      assertThatThrownBy(() -> host.call(() -> {})).hasMessageStartingWith("UNAVAILABLE: calls");
    }
  }

  @Test
  void patienceEndsWithTheDeadline() throws Exception {
    try (LimitedHost host = start(1);
        HostLoad load = new HostLoad(host, 1)) {
      load.awaitInside(1);
      CallOptions soon = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.MILLISECONDS);
      AtomicBoolean ran = new AtomicBoolean();
      assertThatThrownBy(() -> host.service.call(host.channel, soon, () -> ran.set(true)))
          .isInstanceOf(StatusRuntimeException.class);
      Conditions.await("nobody waits", () -> host.admission.limiter().waiting() == 0);
      assertThat(ran).isFalse();
    }
  }

  @Test
  void callThatThrowsCountsAsFailureAndGivesItsPermitBack() throws Exception {
    try (LimitedHost host = start(1)) {
      WindowSums sums = WindowSums.of(host.loop());
      assertThatThrownBy(
              () ->
                  host.call(
                      () -> {
                        throw new IllegalStateException("as planned");
                      }))
          .hasMessageStartingWith("UNKNOWN");
      Conditions.await("a failure", () -> sums.failures() == 1);
      host.call(() -> {});
      Conditions.await("a completion", () -> sums.completions() == 1);
    }
  }

  @Test
  void statusOfTheCallerIsAnAnswerAndOneOfTheServerAFailure() throws Exception {
    try (LimitedHost refusing = start(1, closing(Status.NOT_FOUND))) {
      WindowSums sums = WindowSums.of(refusing.loop());
      assertThatThrownBy(() -> refusing.call(() -> {})).hasMessageStartingWith("NOT_FOUND");
      Conditions.await("a completion", () -> sums.completions() == 1);
    }
    try (LimitedHost failing = start(1, closing(Status.INTERNAL))) {
      WindowSums sums = WindowSums.of(failing.loop());
      assertThatThrownBy(() -> failing.call(() -> {})).hasMessageStartingWith("INTERNAL");
      Conditions.await("a failure", () -> sums.failures() == 1);
      assertThat(sums.completions()).isZero();
    }
  }

  private static ServerInterceptor closing(Status status) {
    return new ServerInterceptor() {
      @Override
      public <Q, A> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        call.close(status, new Metadata());
        return new ServerCall.Listener<>() {};
      }
    };
  }

  @Test
  void interceptorBehindThatThrowsGivesThePermitBack() throws Exception {
    ServerInterceptor broken =
        new ServerInterceptor() {
          @Override
          public <Q, A> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            throw new IllegalStateException("as planned");
          }
        };
    try (LimitedHost host = start(1, broken)) {
      assertThatThrownBy(() -> host.call(() -> {})).isInstanceOf(StatusRuntimeException.class);
      Conditions.await("the permit is back", () -> host.capacity() == 0);
    }
  }

  @Test
  void callThatTheClientGivesUpGivesItsPermitBackWhenItEnds() throws Exception {
    try (LimitedHost host = start(1)) {
      AtomicBoolean release = new AtomicBoolean();
      CallOptions soon = CallOptions.DEFAULT.withDeadlineAfter(100, TimeUnit.MILLISECONDS);
      assertThatThrownBy(
              () ->
                  host.service.call(
                      host.channel,
                      soon,
                      () -> Conditions.await("the client has gone", release::get)))
          .hasMessageStartingWith("DEADLINE_EXCEEDED");
      release.set(true);
      Conditions.await("the permit is back", () -> host.capacity() == 0);
      host.call(() -> {});
    }
  }

  @Test
  void streamsThatStayOpenHoldNoPermit() throws Exception {
    try (LimitedHost host = start(1)) {
      AtomicBoolean watching = new AtomicBoolean();
      host.service.watch(host.channel, () -> watching.set(true));
      Conditions.await("the stream is open", watching::get);
      assertThat(host.capacity()).isZero();
      host.call(() -> {});
    }
  }
}
