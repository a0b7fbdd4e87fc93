package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

final class HeldPortTest {

  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @Test
  void aServerMayListenThereAgainAndMeanwhileClientsAreRefused() throws IOException {
    try (HeldPort port = new HeldPort(0)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> new Socket(HERE, port.number()).close())
            .isInstanceOf(ConnectException.class);
        try (ServerSocket server = new ServerSocket(port.number(), 1, HERE);
            Socket client = new Socket(HERE, port.number())) {
          assertThat(client.getPort()).isEqualTo(server.getLocalPort());
        }
      }
    }
  }

  /** As the system does with all ports that are in use: it looks for another one. */
  @Test
  void nobodyElseIsGivenIt() throws IOException {
    try (HeldPort port = new HeldPort(0);
        Socket other = new Socket()) {
      assertThatThrownBy(() -> other.bind(new java.net.InetSocketAddress(HERE, port.number())))
          .isInstanceOf(BindException.class);
    }
  }

  @Test
  void aPortAtWhichAServerListensIsRefused() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
      assertThatThrownBy(() -> new HeldPort(server.getLocalPort()).close())
          .isInstanceOf(BindException.class);
    }
  }
}
