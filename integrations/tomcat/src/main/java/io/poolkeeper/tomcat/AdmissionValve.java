package io.poolkeeper.tomcat;

import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.AdaptiveLimiter.Permit;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;

/**
 * An {@link AdaptiveLimiter} in front of a Tomcat host, context or engine, for Tomcat on virtual
 * threads, where no pool can be sized. A request holds a permit until its answer is complete, an
 * asynchronous one included. A request that gets none within its patience is answered with 503 and
 * {@code Retry-After}.
 *
 * <pre>{@code
 * tomcat.getConnector().getProtocolHandler().setExecutor(Executors.newVirtualThreadPerTaskExecutor());
 * tomcat.getEngine().getPipeline().addValve(new AdmissionValve());
 * }</pre>
 *
 * <p>Answers of status 500 and above count as failures. The limiter starts and stops with the
 * container; each start makes a new one.
 */
public final class AdmissionValve extends ValveBase {

  private final Consumer<AdaptiveLimiter.Builder> settings;
  private String name = "tomcat-requests";
  private Duration patience = Duration.ofSeconds(1);
  private int retryAfter = 1;
  private volatile @Nullable AdaptiveLimiter limiter;

  /** A valve with the default settings. */
  public AdmissionValve() {
    this(builder -> {});
  }

  /**
   * Makes a valve.
   *
   * @param settings changes the description of the limiter, at each start; a controller must be a
   *     new one each time
   */
  public AdmissionValve(Consumer<AdaptiveLimiter.Builder> settings) {
    super(true);
    this.settings = Objects.requireNonNull(settings, "settings must not be null");
  }

  /** Sets the name of the limiter from the next start on; default {@code tomcat-requests}. */
  public void setName(String name) {
    this.name = name;
  }

  /**
   * Sets how long a request waits for a permit, milliseconds; default 1000, 0 for not at all.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void setPatience(long millis) {
    if (millis < 0) {
      throw new IllegalArgumentException("patience must be >= 0 ms, but is " + millis);
    }
    patience = Duration.ofMillis(millis);
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
   * @throws IllegalStateException if the valve has not started, or has stopped
   */
  public AdaptiveLimiter limiter() {
    AdaptiveLimiter current = limiter;
    if (current == null) {
      throw new IllegalStateException("valve '" + name + "' is not started");
    }
    return current;
  }

  @Override
  protected synchronized void startInternal() throws LifecycleException {
    try {
      AdaptiveLimiter.Builder builder = AdaptiveLimiter.builder(name);
      settings.accept(builder);
      limiter = builder.build();
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new LifecycleException("valve '" + name + "': " + e.getMessage(), e);
    }
    super.startInternal();
  }

  @Override
  protected synchronized void stopInternal() throws LifecycleException {
    super.stopInternal();
    AdaptiveLimiter stopped = limiter;
    limiter = null;
    if (stopped != null) {
      stopped.close();
    }
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (request.isAsyncDispatching()) { // It holds a permit since it came.
      getNext().invoke(request, response);
      return;
    }
    Optional<Permit> permit = acquire();
    if (permit.isEmpty()) {
      response.setHeader("Retry-After", Integer.toString(retryAfter));
      response.sendError(Response.SC_SERVICE_UNAVAILABLE);
    } else {
      invoke(request, response, permit.get());
    }
  }

  private Optional<Permit> acquire() {
    try {
      return limiter().acquire(patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private void invoke(Request request, Response response, Permit permit)
      throws IOException, ServletException {
    boolean async = false;
    try {
      getNext().invoke(request, response);
      async = request.isAsync();
      if (async) { // Its completion waits until this thread has left.
        request.getAsyncContext().addListener(new EndOfRequest(response, permit));
      }
    } finally {
      if (!async) {
        end(response, permit);
      }
    }
  }

  private static void end(Response response, Permit permit) {
    if (response.getStatus() >= Response.SC_INTERNAL_SERVER_ERROR) {
      permit.dropped();
    } else {
      permit.success();
    }
  }

  /** Gives the permit of an asynchronous request back. */
  private record EndOfRequest(Response response, Permit permit) implements AsyncListener {

    @Override
    public void onComplete(AsyncEvent event) {
      end(response, permit);
    }

    @Override
    public void onTimeout(AsyncEvent event) {
      permit.dropped();
    }

    @Override
    public void onError(AsyncEvent event) {
      permit.dropped();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().addListener(this); // A new cycle forgets its listeners.
    }
  }
}
