package io.poolkeeper.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A start that fails. */
final class TunedServerTest {

  @Test
  void portInUseIsToldAndLeavesNoPool() throws Exception {
    try (TunedServer first = TunedServer.start(Transport.NETTY.server())) {
      CountDownLatch ended = new CountDownLatch(1);
      int port = first.server().getPort();
      assertThatThrownBy(
              () ->
                  TunedServer.start(
                      "second",
                      Grpc.newServerBuilderForPort(port, InsecureServerCredentials.create()),
                      pool ->
                          pool.listener(
                              new ControlListener() {
                                @Override
                                public void onClose(Resizable pool) {
                                  ended.countDown();
                                }
                              })))
          .isInstanceOf(IOException.class);
      Conditions.await("the second pool has ended", () -> ended.getCount() == 0);
      assertThat(first.pool().isShutdown()).isFalse();
    }
  }
}
