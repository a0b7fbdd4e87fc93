package io.poolkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

/** The console of a service beside its web server. */
final class PoolConsoleTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PoolkeeperAutoConfiguration.class));

  @Test
  void consoleLeavesThePortOfTheWebServerToIt() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    runner
        .withBean(WebServerOnPort.class, port)
        .withPropertyValues("poolkeeper.console.port=" + port)
        .run(
            context -> {
              assertThat(context.getBean(WebServerOnPort.class).isRunning()).isTrue();
              assertThat(context.getBean(PoolConsole.class).console()).isNull();
            });
  }

  /** Takes its port when a web server of Spring Boot does. */
  static final class WebServerOnPort implements SmartLifecycle {
    private final int port;
    private @Nullable ServerSocket socket;

    WebServerOnPort(int port) {
      this.port = port;
    }

    @Override
    public void start() {
      try {
        socket = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void stop() {
      try {
        Objects.requireNonNull(socket).close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      socket = null;
    }

    @Override
    public boolean isRunning() {
      return socket != null;
    }

    @Override
    public int getPhase() {
      return DEFAULT_PHASE - 2048;
    }
  }
}
