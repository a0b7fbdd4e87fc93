package io.poolkeeper.jetty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import io.poolkeeper.testkit.WindowSums;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;

/** The kit on Jetty with a limit in front. */
final class AdmissionHandlerTest extends HostKit {

  @Override
  protected JettyHost start(int size) throws Exception {
    return new JettyHost(size);
  }

  /** A Jetty whose handler runs what tests give it. */
  private static final class JettyHost implements Host {
    final QueuedThreadPool threads = new QueuedThreadPool(50);
    final Server server = new Server(threads);
    final ServerConnector connector = new ServerConnector(server, 1, 1);
    final Map<String, Runnable> works = new ConcurrentHashMap<>();
    final AtomicInteger ids = new AtomicInteger();
    final AdmissionHandler admission;
    HttpClient client = HttpClient.newHttpClient();

    JettyHost(int size) throws Exception {
      this(size, work -> work);
    }

    /** A Jetty with another handler between the limit and the work. */
    JettyHost(int size, UnaryOperator<Handler> between) throws Exception {
      admission =
          new AdmissionHandler(
              between.apply(new WorkHandler()),
              limiter ->
                  limiter
                      .bounds(BOUNDS.minimum(), BOUNDS.maximum())
                      .initialSize(size)
                      .mode(Mode.FROZEN)
                      .window(WINDOW)
                      .hangAfter(HANG));
      admission.setPatience(Duration.ofMinutes(5));
      connector.setIdleTimeout(Duration.ofMinutes(5).toMillis());
      server.addConnector(connector);
      server.setHandler(admission);
      server.start();
    }

    /** Runs the work on a thread of Jetty. */
    private final class WorkHandler extends Handler.Abstract {
      @Override
      public boolean handle(Request request, Response response, Callback callback) {
        Objects.requireNonNull(works.remove(request.getHttpURI().getQuery())).run();
        callback.succeeded();
        return true;
      }
    }

    HttpResponse<String> send(Runnable work) throws Exception {
      String id = Integer.toString(ids.incrementAndGet());
      works.put(id, work);
      URI uri = URI.create("http://localhost:" + connector.getLocalPort() + "/?" + id);
      return client.send(
          HttpRequest.newBuilder(uri).version(HttpClient.Version.HTTP_1_1).build(),
          HttpResponse.BodyHandlers.ofString());
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
    public void call(Runnable work) throws Exception {
      assertThat(send(work).statusCode()).isEqualTo(200);
    }

    @Override
    public int capacity() {
      return admission.limiter().inUse();
    }

    @Override
    public void restart() throws Exception {
      server.stop();
      client = HttpClient.newHttpClient(); // The old one has connections to the old port.
      server.start();
    }

    @Override
    public void close() {
      try {
        server.stop();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void testsRunOnTheVersionThatTheBuildNames() {
    String jar = Server.class.getProtectionDomain().getCodeSource().toString();
    assertThat(jar).contains("jetty-server-" + System.getProperty("jetty.version"));
  }

  @Test
  void requestThatIsNotAdmittedGets503AndWhenToRetry() throws Exception {
    try (JettyHost host = start(2);
        HostLoad load = new HostLoad(host, 2)) {
      load.awaitInside(2);
      host.admission.setPatience(Duration.ZERO);
      host.admission.setRetryAfter(7);
      HttpResponse<String> answer = host.send(() -> {});
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).contains("7");
    }
  }

  @Test
  void requestWhosePatienceEndsGets503() throws Exception {
    try (JettyHost host = start(1);
        HostLoad load = new HostLoad(host, 1)) {
      load.awaitInside(1);
      host.admission.setPatience(Duration.ofMillis(20));
      assertThat(host.send(() -> {}).statusCode()).isEqualTo(503);
      Conditions.await("nobody waits", () -> host.admission.limiter().waiting() == 0);
    }
  }

  @Test
  void requestThatThrowsGivesItsPermitBack() throws Exception {
    try (JettyHost host = start(1)) {
      AdaptiveLimiter limiter = host.admission.limiter();
      HttpResponse<String> answer =
          host.send(
              () -> {
                throw new IllegalStateException("as planned");
              });
      assertThat(answer.statusCode()).isEqualTo(500);
      Conditions.await("the permit is back", () -> limiter.inUse() == 0);
    }
  }

  @Test
  void requestsThatWaitHoldNoThread() throws Exception {
    try (JettyHost host = start(2)) {
      int before = host.threads.getThreads() - host.threads.getIdleThreads();
      try (HostLoad load = new HostLoad(host, 40)) {
        load.awaitInside(2);
        Conditions.await("38 wait", () -> host.admission.limiter().waiting() == 38);
        Conditions.await(
            "two more threads are busy",
            () -> host.threads.getThreads() - host.threads.getIdleThreads() <= before + 4);
      }
    }
  }

  /** A request holds a permit of each, that of the outer one first. */
  @Test
  void handlersBehindEachOtherCountARequestOnceEachAndCannotWaitForEachOther() throws Exception {
    List<AdmissionHandler> inner = new ArrayList<>();
    UnaryOperator<Handler> between =
        work -> {
          AdmissionHandler made =
              new AdmissionHandler(
                  work,
                  limiter -> limiter.bounds(1, 2).initialSize(2).mode(Mode.FROZEN).window(WINDOW));
          made.setName("inner");
          made.setPatience(Duration.ofMinutes(5));
          inner.add(made);
          return made;
        };
    try (JettyHost host = new JettyHost(4, between)) {
      AdaptiveLimiter outerLimit = host.admission.limiter();
      AdaptiveLimiter innerLimit = inner.get(0).limiter();
      WindowSums ofOuter = WindowSums.of(outerLimit.control());
      WindowSums ofInner = WindowSums.of(innerLimit.control());
      try (HostLoad load = new HostLoad(host, 8)) {
        load.awaitInside(2);
        Conditions.await("four hold the outer", () -> outerLimit.inUse() == 4);
        assertThat(innerLimit.inUse()).isEqualTo(2);
        load.flow();
        load.awaitAnswers(50);
        load.requireNoFailure();
      }
      Conditions.await(
          "all permits are back", () -> outerLimit.inUse() == 0 && innerLimit.inUse() == 0);
      Conditions.await(
          "both count alike",
          () -> ofInner.completions() > 50 && ofOuter.completions() == ofInner.completions());
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what is tried.
  void nullIsRefusedByName() {
    Handler application = new Handler.Wrapper();
    assertThatThrownBy(() -> new AdmissionHandler(application, null))
        .hasMessage("settings must not be null");
    assertThatThrownBy(() -> new AdmissionHandler(application).setPatience(null))
        .hasMessage("patience must not be null");
  }
}
