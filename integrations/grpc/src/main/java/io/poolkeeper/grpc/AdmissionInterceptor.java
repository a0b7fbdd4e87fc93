package io.poolkeeper.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.AdaptiveLimiter.Permit;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An {@link AdaptiveLimiter} in front of the calls of a gRPC server, for servers on virtual threads
 * or with {@code directExecutor()}, where no pool can be sized.
 *
 * <pre>{@code
 * var limiter = AdaptiveLimiter.builder("orders").build();
 * Grpc.newServerBuilderForPort(8080, credentials)
 *     .executor(Executors.newVirtualThreadPerTaskExecutor())
 *     .intercept(new AdmissionInterceptor(limiter).patience(Duration.ofSeconds(1)))
 *     .addService(new Orders());
 * }</pre>
 *
 * <p>A call holds a permit until its answer is complete or the call is cancelled. One that gets
 * none within its patience, or before its deadline, is closed with {@code RESOURCE_EXHAUSTED} and
 * {@code grpc-retry-pushback-ms}, which clients with a retry policy obey.
 *
 * <p><b>Patience.</b> A call that waits blocks the thread it came on. So the patience is zero
 * unless it is set: with {@code directExecutor()} that thread reads and writes connections, and
 * must not wait. With virtual threads it may.
 *
 * <p><b>Outcomes.</b> {@code UNKNOWN}, {@code DEADLINE_EXCEEDED}, {@code RESOURCE_EXHAUSTED},
 * {@code INTERNAL}, {@code UNAVAILABLE} and {@code DATA_LOSS} count as failures, and so do
 * exceptions and missed deadlines; other codes are answers. A call that the client has cancelled
 * does not count.
 *
 * <p><b>Streams</b> pass without a permit, since one that stays open for hours, such as the {@code
 * Watch} of a health service, would hold it as long. The limiter is the caller's: close it after
 * the server has terminated. Among interceptors it belongs in front of those that do work; the one
 * added to a builder last runs first.
 */
public final class AdmissionInterceptor implements ServerInterceptor {

  /** Delay before a client tries again, milliseconds. */
  static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private final AdaptiveLimiter limiter;
  private volatile Duration patience = Duration.ZERO;
  private volatile Duration retryAfter = Duration.ofSeconds(1);
  private volatile Status refusal = Status.RESOURCE_EXHAUSTED;

  /** Admits calls by a limiter. */
  public AdmissionInterceptor(AdaptiveLimiter limiter) {
    this.limiter = Objects.requireNonNull(limiter, "limiter must not be null");
  }

  /**
   * Sets how long a call waits for a permit; default zero, for not at all.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public AdmissionInterceptor patience(Duration patience) {
    this.patience = requireNotNegative("patience", patience);
    return this;
  }

  /**
   * Sets when clients are told to try again; default one second.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public AdmissionInterceptor retryAfter(Duration retryAfter) {
    this.retryAfter = requireNotNegative("retryAfter", retryAfter);
    return this;
  }

  /**
   * Sets the status of calls that are not admitted; default {@code RESOURCE_EXHAUSTED}. {@code
   * UNAVAILABLE} is the one that most clients and proxies try again on another server.
   *
   * @throws IllegalArgumentException if it is OK
   */
  public AdmissionInterceptor refuseWith(Status status) {
    if (Objects.requireNonNull(status, "status must not be null").isOk()) {
      throw new IllegalArgumentException("refuseWith must be an error, but is OK");
    }
    refusal = status;
    return this;
  }

  private static Duration requireNotNegative(String setting, Duration value) {
    if (Objects.requireNonNull(value, setting + " must not be null").isNegative()) {
      throw new IllegalArgumentException(setting + " must be >= 0, but is " + value);
    }
    return value;
  }

  /** The limiter. */
  public AdaptiveLimiter limiter() {
    return limiter;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (call.getMethodDescriptor().getType() != MethodType.UNARY) {
      return next.startCall(call, headers);
    }
    Optional<Permit> permit = acquire();
    if (permit.isEmpty()) {
      refuse(call);
      return new ServerCall.Listener<>() {};
    }
    if (call.isCancelled()) { // While it waited.
      permit.get().ignore();
      return new ServerCall.Listener<>() {};
    }
    return AdmittedCall.start(call, headers, next, permit.get());
  }

  private Optional<Permit> acquire() {
    Duration wait = patience;
    if (wait.isZero()) {
      return limiter.tryAcquire();
    }
    Deadline deadline = Context.current().getDeadline();
    if (deadline != null) {
      long left = Math.max(0, deadline.timeRemaining(TimeUnit.NANOSECONDS));
      wait = wait.compareTo(Duration.ofNanos(left)) < 0 ? wait : Duration.ofNanos(left);
    }
    try {
      return limiter.acquire(wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private void refuse(ServerCall<?, ?> call) {
    Metadata trailers = new Metadata();
    trailers.put(PUSHBACK, Long.toString(retryAfter.toMillis()));
    call.close(
        refusal.withDescription(
            "%s: %d calls run, which is the limit; try again later"
                .formatted(limiter.name(), limiter.size())),
        trailers);
  }
}
