package io.poolkeeper.jetty;

import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.AdaptiveLimiter.Permit;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * An {@link AdaptiveLimiter} in front of a handler of Jetty 12, on platform threads or virtual
 * ones. A request holds a permit until its answer is complete. One that waits for a permit holds no
 * thread; one that gets none within its patience is answered with 503 and {@code Retry-After}.
 *
 * <pre>{@code
 * server.setHandler(new AdmissionHandler(application));
 * }</pre>
 *
 * <p>It leaves Jetty's pool of threads alone: that pool also reads and writes connections, grows
 * for a backlog only when the next task arrives, and hides its producers in the length of its
 * queue. Give it more threads than the limit's largest size. Answers of status 500 and above count
 * as failures. The limiter starts and stops with the handler; each start makes a new one.
 */
public final class AdmissionHandler extends Handler.Wrapper {

  private final Consumer<AdaptiveLimiter.Builder> settings;
  private volatile String name = "jetty-requests";
  private volatile Duration patience = Duration.ofSeconds(1);
  private volatile int retryAfter = 1;
  private volatile @Nullable AdaptiveLimiter limiter;

  /** A handler with the default settings. */
  public AdmissionHandler(Handler application) {
    this(application, builder -> {});
  }

  /**
   * Makes a handler.
   *
   * @param settings changes the description of the limiter, at each start; a controller must be a
   *     new one each time
   */
  public AdmissionHandler(Handler application, Consumer<AdaptiveLimiter.Builder> settings) {
    super(application);
    this.settings = Objects.requireNonNull(settings, "settings must not be null");
  }

  /** Sets the name of the limiter from the next start on; default {@code jetty-requests}. */
  public void setName(String name) {
    this.name = name;
  }

  /**
   * Sets how long a request waits for a permit; default one second, zero for not at all.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void setPatience(Duration patience) {
    if (Objects.requireNonNull(patience, "patience must not be null").isNegative()) {
      throw new IllegalArgumentException("patience must be >= 0, but is " + patience);
    }
    this.patience = patience;
  }

  /**
   * Sets what {@code Retry-After} says, seconds; default 1.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void setRetryAfter(int seconds) {
    if (seconds < 0) {
      throw new IllegalArgumentException("retryAfter must be >= 0 s, but is " + seconds);
    }
    retryAfter = seconds;
  }

  /**
   * The limiter.
   *
   * @throws IllegalStateException if the handler has not started, or has stopped
   */
  public AdaptiveLimiter limiter() {
    AdaptiveLimiter current = limiter;
    if (current == null) {
      throw new IllegalStateException("the handler is not started");
    }
    return current;
  }

  @Override
  protected void doStart() throws Exception {
    AdaptiveLimiter.Builder builder = AdaptiveLimiter.builder(name);
    settings.accept(builder);
    limiter = builder.build();
    super.doStart();
  }

  @Override
  protected void doStop() throws Exception {
    super.doStop();
    AdaptiveLimiter stopped = limiter;
    limiter = null;
    if (stopped != null) {
      stopped.close();
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (patience.isZero()) {
      var permit = limiter().tryAcquire();
      if (permit.isEmpty()) {
        refuse(request, response, callback);
        return true;
      }
      return handle(permit.get(), request, response, callback);
    }
    Executor executor = Objects.requireNonNull(getServer()).getThreadPool();
    CompletableFuture<Permit> granted = limiter().acquireAsync(executor);
    if (granted.isDone()) {
      return handle(granted.join(), request, response, callback);
    }
    var unused =
        granted
            .orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete(
                (permit, failure) -> {
                  if (failure == null) {
                    handleLater(permit, request, response, callback);
                  } else { // On the thread of all time-outs.
                    executor.execute(() -> refuse(request, response, callback));
                  }
                });
    return true;
  }

  private boolean handle(Permit permit, Request request, Response response, Callback callback)
      throws Exception {
    Request.addCompletionListener(
        request,
        failure -> {
          if (failure != null || response.getStatus() >= HttpStatus.INTERNAL_SERVER_ERROR_500) {
            permit.dropped();
          } else {
            permit.success();
          }
        });
    return super.handle(request, response, callback);
  }

  private void handleLater(Permit permit, Request request, Response response, Callback callback) {
    try {
      if (!handle(permit, request, response, callback)) {
        Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
      }
    } catch (Throwable e) { // As the server does for a request that is handled at once.
      Response.writeError(request, response, callback, e);
    }
  }

  private void refuse(Request request, Response response, Callback callback) {
    response.getHeaders().put(HttpHeader.RETRY_AFTER, Integer.toString(retryAfter));
    Response.writeError(request, response, callback, HttpStatus.SERVICE_UNAVAILABLE_503);
  }
}
