package io.poolkeeper.testbed.servers.architectures;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.servers.http.Conversation;
import io.poolkeeper.testbed.servers.http.Exchange;
import io.poolkeeper.testbed.servers.http.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ServiceTest {

  private final Conversation conversation =
      new Conversation(Limits.DEFAULTS, () -> false, () -> false);

  private Exchange exchange() {
    ByteBuffer request =
        ByteBuffer.wrap(
            "GET /app HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return Objects.requireNonNull(conversation.read(request));
  }

  @Test
  void anAnswerAfterTheEndIsNeitherAFailureNorARefusal() {
    new Service("/app", () -> "fine")
        .handOver(
            Runnable::run,
            exchange(),
            () -> {
              throw new RejectedExecutionException("nobody writes any more");
            });
    ByteBuffer bytes = Objects.requireNonNull(conversation.next());
    assertThat(StandardCharsets.US_ASCII.decode(bytes).toString()).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void whatAnExecutorWithoutMemoryLosesIsAnswered() {
    AtomicInteger answered = new AtomicInteger();
    new Service("/app", () -> "fine")
        .handOver(
            task -> {
              throw new OutOfMemoryError("unable to create native thread");
            },
            exchange(),
            answered::incrementAndGet);
    assertThat(answered).hasValue(1);
    ByteBuffer bytes = Objects.requireNonNull(conversation.next());
    assertThat(StandardCharsets.US_ASCII.decode(bytes).toString()).startsWith("HTTP/1.1 500 ");
  }

  @Test
  void whatNobodyTakesIsRefused() {
    AtomicInteger answered = new AtomicInteger();
    new Service("/app", () -> "fine")
        .handOver(
            task -> {
              throw new RejectedExecutionException("full");
            },
            exchange(),
            answered::incrementAndGet);
    assertThat(answered).hasValue(1);
    ByteBuffer bytes = Objects.requireNonNull(conversation.next());
    assertThat(StandardCharsets.US_ASCII.decode(bytes).toString())
        .startsWith("HTTP/1.1 503 ")
        .endsWith("too busy, try again later\n");
  }

  @Test
  void eachPathHasItsApplication() {
    Map<String, Application> both = Map.of("/app", () -> "fine", "/other", () -> "well");
    Service service = new Service(both);

    assertThat(answer(service, "/other?page=2")).startsWith("HTTP/1.1 200 ").contains("well");
    assertThat(answer(service, "/app")).contains("fine");
    assertThat(answer(service, "/none"))
        .startsWith("HTTP/1.1 404 ")
        .endsWith("nothing here; try /app or /other\n");
  }

  private static String answer(Service service, String target) {
    Conversation conversation = new Conversation(Limits.DEFAULTS, () -> false, () -> false);
    String request = "GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n";
    ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII));
    service.serve(Objects.requireNonNull(conversation.read(bytes)));
    ByteBuffer answer = Objects.requireNonNull(conversation.next());
    return StandardCharsets.US_ASCII.decode(answer).toString();
  }
}
