package io.poolkeeper.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.Mode;
import io.poolkeeper.testkit.Conditions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that run calls on the threads of their connections, and settings. */
final class AdmissionInterceptorTest {

  @ParameterizedTest
  @EnumSource(Transport.class)
  void directExecutorRefusesAtOnceAndAdmitsAgain(Transport transport) throws Exception {
    WorkService service = new WorkService();
    try (AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("calls").bounds(1, 4).initialSize(1).mode(Mode.FROZEN).build()) {
      Server server =
          transport
              .server()
              .directExecutor()
              .intercept(new AdmissionInterceptor(limiter))
              .addService(service.definition())
              .build()
              .start();
      ManagedChannel channel = transport.channel(server);
      try {
        var permit = limiter.acquire();
        AtomicBoolean ran = new AtomicBoolean();
        assertThatThrownBy(() -> service.call(channel, () -> ran.set(true)))
            .hasMessageStartingWith("RESOURCE_EXHAUSTED: calls: 1 calls run");
        assertThat(ran).isFalse();
        permit.success();
        service.call(channel, () -> ran.set(true));
        assertThat(ran).isTrue();
        Conditions.await("the permit is back", () -> limiter.inUse() == 0);
      } finally {
        Transport.end(channel);
        Transport.end(server);
      }
    }
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    try (AdaptiveLimiter limiter = AdaptiveLimiter.builder("calls").build()) {
      AdmissionInterceptor admission = new AdmissionInterceptor(limiter);
      assertThatThrownBy(() -> admission.patience(Duration.ofMillis(-1)))
          .hasMessage("patience must be >= 0, but is PT-0.001S");
      assertThatThrownBy(() -> admission.retryAfter(Duration.ofMillis(-1)))
          .hasMessage("retryAfter must be >= 0, but is PT-0.001S");
      assertThatThrownBy(() -> admission.refuseWith(Status.OK))
          .hasMessage("refuseWith must be an error, but is OK");
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what is tried.
  void nullIsRefusedByName() {
    assertThatThrownBy(() -> new AdmissionInterceptor(null)).hasMessage("limiter must not be null");
    try (AdaptiveLimiter limiter = AdaptiveLimiter.builder("calls").build()) {
      AdmissionInterceptor admission = new AdmissionInterceptor(limiter);
      assertThatThrownBy(() -> admission.patience(null)).hasMessage("patience must not be null");
      assertThatThrownBy(() -> admission.refuseWith(null)).hasMessage("status must not be null");
    }
    assertThatThrownBy(() -> TunedServer.start(null)).hasMessage("builder must not be null");
  }
}
