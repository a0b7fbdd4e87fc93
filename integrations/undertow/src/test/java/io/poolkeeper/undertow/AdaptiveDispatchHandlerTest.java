package io.poolkeeper.undertow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.HostKit;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.BlockingHandler;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The kit on Undertow. */
final class AdaptiveDispatchHandlerTest extends HostKit {

  @Override
  protected UndertowHost start(int size) throws Exception {
    return new UndertowHost(size);
  }

  /** An Undertow whose handler runs what tests give it. */
  private static final class UndertowHost implements Host {
    final Map<String, Runnable> works = new ConcurrentHashMap<>();
    final AtomicInteger ids = new AtomicInteger();
    final AdaptiveExecutor pool;
    final Undertow server;
    HttpClient client = HttpClient.newHttpClient();

    UndertowHost(int size) {
      pool =
          AdaptiveExecutor.builder("requests")
              .bounds(BOUNDS.minimum(), BOUNDS.maximum())
              .initialSize(size)
              .mode(Mode.FROZEN)
              .window(WINDOW)
              .hangAfter(HANG)
              .build();
      server =
          Undertow.builder()
              .setIoThreads(1)
              .setWorkerThreads(1)
              .addHttpListener(0, "localhost")
              .setHandler(
                  new AdaptiveDispatchHandler(
                      pool,
                      new BlockingHandler(
                          exchange ->
                              Objects.requireNonNull(works.remove(exchange.getQueryString()))
                                  .run())))
              .build();
      server.start();
    }

    HttpResponse<String> send(Runnable work) throws Exception {
      String id = Integer.toString(ids.incrementAndGet());
      works.put(id, work);
      var address = (InetSocketAddress) server.getListenerInfo().get(0).getAddress();
      return client.send(
          HttpRequest.newBuilder(URI.create("http://localhost:" + address.getPort() + "/?" + id))
              .version(HttpClient.Version.HTTP_1_1)
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public Resizable pool() {
      return pool;
    }

    @Override
    public ControlLoop loop() {
      return pool.control();
    }

    @Override
    public void call(Runnable work) throws Exception {
      assertThat(send(work).statusCode()).isEqualTo(200);
    }

    @Override
    public int capacity() {
      return pool.getPoolSize();
    }

    @Override
    public void restart() {
      server.stop();
      client = HttpClient.newHttpClient(); // The old one has connections to the old port.
      server.start();
    }

    @Override
    public void close() {
      server.stop();
      pool.close();
    }
  }

  @Test
  void requestThatThrowsCostsNoWorker() throws Exception {
    try (UndertowHost host = start(1)) {
      int status =
          host.send(
                  () -> {
                    throw new IllegalStateException("as planned");
                  })
              .statusCode();
      assertThat(status).isEqualTo(500);
      host.call(() -> {});
    }
  }

  @Test
  void requestsRunOnThreadsOfThePoolAlone() throws Exception {
    try (UndertowHost host = start(4)) {
      AtomicReference<Thread> thread = new AtomicReference<>();
      host.call(() -> thread.set(Thread.currentThread()));
      assertThat(host.pool.workers()).contains(thread.get());
      assertThat(host.server.getWorker().getMXBean().getWorkerPoolSize()).isZero();
    }
  }

  @Test
  void requestsThatWereDispatchedBeforeRunOnThePoolToo() throws Exception {
    try (AdaptiveExecutor pool = AdaptiveExecutor.builder("requests").build()) {
      AtomicReference<Thread> thread = new AtomicReference<>();
      HttpHandler application = exchange -> thread.set(Thread.currentThread());
      // The wrong way round, and twice.
      Undertow server =
          Undertow.builder()
              .addHttpListener(0, "localhost")
              .setHandler(
                  new BlockingHandler(
                      new AdaptiveDispatchHandler(
                          pool, new AdaptiveDispatchHandler(pool, application))))
              .build();
      server.start();
      try {
        var address = (InetSocketAddress) server.getListenerInfo().get(0).getAddress();
        URI uri = URI.create("http://localhost:" + address.getPort() + "/");
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding());
        assertThat(pool.workers()).contains(thread.get());
      } finally {
        server.stop();
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what is tried.
  void nullIsRefusedByName() {
    HttpHandler application = exchange -> {};
    assertThatThrownBy(() -> new AdaptiveDispatchHandler(null, application))
        .hasMessage("pool must not be null");
    try (AdaptiveExecutor pool = AdaptiveExecutor.builder("requests").build()) {
      assertThatThrownBy(() -> new AdaptiveDispatchHandler(pool, null))
          .hasMessage("next must not be null");
    }
  }
}
