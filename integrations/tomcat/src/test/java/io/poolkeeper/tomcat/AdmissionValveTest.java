package io.poolkeeper.tomcat;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import io.poolkeeper.testkit.WindowSums;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The kit on Tomcat with a limit in front of threads without bound. */
final class AdmissionValveTest extends HostKit {

  @Override
  protected AdmissionHost start(int size) throws Exception {
    return new AdmissionHost(size, "/work");
  }

  /** A Tomcat with as many threads as requests, and a valve. */
  private static final class AdmissionHost implements Host {
    final TomcatServer server = new TomcatServer();
    final String path;
    final AdmissionValve valve;
    final ExecutorService threads = Executors.newCachedThreadPool();

    AdmissionHost(int size, String path) throws Exception {
      this.path = path;
      valve =
          new AdmissionValve(
              limiter ->
                  limiter
                      .bounds(BOUNDS.minimum(), BOUNDS.maximum())
                      .initialSize(size)
                      .mode(Mode.FROZEN)
                      .window(WINDOW)
                      .hangAfter(HANG));
      valve.setPatience(300_000);
      server.tomcat.getConnector().getProtocolHandler().setExecutor(threads);
      server.tomcat.getEngine().getPipeline().addValve(valve);
      server.start();
    }

    @Override
    public Resizable pool() {
      return valve.limiter();
    }

    @Override
    public ControlLoop loop() {
      return valve.limiter().control();
    }

    @Override
    public void call(Runnable work) throws Exception {
      HttpResponse<String> answer = server.send(path, work);
      assertThat(answer.statusCode()).isEqualTo(200);
    }

    @Override
    public int capacity() {
      return valve.limiter().inUse();
    }

    @Override
    public void restart() throws Exception {
      server.restart();
    }

    @Override
    public void close() {
      server.close();
      threads.shutdown();
    }
  }

  @Test
  void requestThatIsNotAdmittedGets503AndWhenToRetry() throws Exception {
    try (AdmissionHost host = start(2);
        HostLoad load = new HostLoad(host, 2)) {
      load.awaitInside(2);
      host.valve.setPatience(0);
      host.valve.setRetryAfter(7);

      HttpResponse<String> answer = host.server.send("/work", () -> {});

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).contains("7");
    }
  }

  @Test
  void asynchronousRequestHoldsOnePermitUntilItsEnd() throws Exception {
    try (AdmissionHost host = new AdmissionHost(1, "/async")) {
      try (HostLoad load = new HostLoad(host, 3)) {
        load.awaitInside(1);
        assertThat(host.valve.limiter().inUse()).isEqualTo(1);
        load.flow();
        Conditions.await("answers", () -> load.answered() > 20);
        assertThat(load.peak()).isEqualTo(1);
        load.requireNoFailure();
      }
      Conditions.await("all permits are back", () -> host.valve.limiter().inUse() == 0);
    }
  }

  /** One on the engine and one on the context: a request holds a permit of each, in that order. */
  @Test
  void valvesBehindEachOtherCountARequestOnceEachAndCannotWaitForEachOther() throws Exception {
    try (AdmissionHost host = start(4)) {
      AdmissionValve inner =
          new AdmissionValve(
              limiter -> limiter.bounds(1, 2).initialSize(2).mode(Mode.FROZEN).window(WINDOW));
      inner.setName("inner");
      inner.setPatience(300_000);
      host.server.tomcat.getHost().findChildren()[0].getPipeline().addValve(inner);
      WindowSums ofOuter = WindowSums.of(host.loop());
      WindowSums ofInner = WindowSums.of(inner.limiter().control());
      try (HostLoad load = new HostLoad(host, 8)) {
        load.awaitInside(2);
        Conditions.await("four hold the outer", () -> host.valve.limiter().inUse() == 4);
        assertThat(inner.limiter().inUse()).isEqualTo(2);
        load.flow();
        load.awaitAnswers(50);
        load.requireNoFailure();
      }
      Conditions.await(
          "all permits are back",
          () -> host.valve.limiter().inUse() == 0 && inner.limiter().inUse() == 0);
      Conditions.await(
          "both count alike",
          () -> ofInner.completions() > 50 && ofOuter.completions() == ofInner.completions());
    }
  }

  @Test
  void requestThatThrowsCountsAsFailure() throws Exception {
    try (AdmissionHost host = start(2)) {
      WindowSums sums = WindowSums.of(host.loop());
      HttpResponse<String> answer =
          host.server.send(
              "/work",
              () -> {
                throw new IllegalStateException("as planned");
              });
      assertThat(answer.statusCode()).isEqualTo(500);
      Conditions.await("a failure", () -> sums.failures() == 1);
    }
  }
}
