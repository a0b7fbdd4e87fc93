package io.poolkeeper.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class AnswerDeadlineTest {

  @Test
  void anAnswerThatNobodyTakesIsGivenUpAndItsThreadGoesOn() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel client = SocketChannel.open(server.getLocalAddress());
          SocketChannel answering = server.accept()) {
        ByteBuffer answer = ByteBuffer.allocate(1 << 20);
        assertThatThrownBy(
                () ->
                    AnswerDeadline.send(
                        Duration.ofMillis(20),
                        () -> {
                          while (client.isOpen()) {
                            answering.write(answer.clear());
                          }
                        }))
            .isInstanceOf(ClosedByInterruptException.class);
        assertThat(answering.isOpen()).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
      }
    }
  }

  @Test
  void anAnswerThatIsTakenInTimeIsLeftAlone() throws Exception {
    AnswerDeadline.send(
        Duration.ofMillis(20), () -> assertThat(Thread.currentThread().isInterrupted()).isFalse());
    CompletableFuture<Void> later = new CompletableFuture<>();
    CompletableFuture.delayedExecutor(30, TimeUnit.MILLISECONDS)
        .execute(() -> later.complete(null));
    later.get();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void anInterruptBySomebodyElseStays() throws Exception {
    AnswerDeadline.send(() -> Thread.currentThread().interrupt());
    assertThat(Thread.interrupted()).isTrue();
  }
}
