package io.poolkeeper.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class QuickstartTest {

  @Test
  void answersAndMeasuresItself() throws Exception {
    AtomicLong completions = new AtomicLong();
    CountDownLatch decided = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    HttpClient client = HttpClient.newHttpClient();
    try (Quickstart service = new Quickstart(0)) {
      service
          .pool()
          .control()
          .listen(
              new ControlListener() {
                @Override
                public void onWindow(Resizable pool, Window window) {
                  completions.addAndGet(window.completions());
                }

                @Override
                public void onStep(Resizable pool, Step step) {
                  assertThat(step.explanation()).isNotBlank();
                  decided.countDown();
                }

                @Override
                public void onClose(Resizable pool) {
                  closed.countDown();
                }
              });
      for (int i = 0; i < 20; i++) {
        HttpResponse<String> answer = get(client, service, "1000000");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("1000003\n");
      }
      assertThat(get(client, service, "ten").statusCode()).isEqualTo(400);
      assertThat(decided.await(300, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(closed.await(300, TimeUnit.SECONDS)).isTrue(); // The last window came before.
    assertThat(completions.get()).isGreaterThanOrEqualTo(21);
  }

  private static HttpResponse<String> get(HttpClient client, Quickstart service, String number)
      throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + service.port() + "/next-prime/" + number);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }
}
