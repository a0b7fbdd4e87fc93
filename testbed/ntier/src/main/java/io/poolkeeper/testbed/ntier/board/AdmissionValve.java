package io.poolkeeper.testbed.ntier.board;

import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.controllers.rules.BreakwaterRule;
import io.poolkeeper.testbed.controllers.rules.DagorRule;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.controllers.rules.SedaRule;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Overload control: answers requests with 503 beyond a limit on those that are worked on at once. A
 * published rule sets the limit by the times of the admitted ones, their waits for a connection
 * included.
 */
final class AdmissionValve extends ValveBase {

  /** Names of all rules, and of none. */
  static final List<String> NAMES =
      List.of("none", "breakwater-style", "dagor-style", "seda-style");

  private static final int INITIAL = 20;
  private static final int MOST = 1000;
  private static final int UNAVAILABLE = 503;
  private static final byte[] REFUSAL =
      "the board is overloaded\n".getBytes(StandardCharsets.US_ASCII);

  private final SampleRule rule;
  private final LongSupplier clock;

  /** Requests that are worked on; guarded by the rule, as the rule itself is. */
  private int running;

  /**
   * @param rule sets the limit; nobody else may feed it
   * @param clock nanoseconds of a monotonic clock
   */
  AdmissionValve(SampleRule rule, LongSupplier clock) {
    super(true);
    this.rule = rule;
    this.clock = clock;
  }

  /**
   * Makes a rule with its published settings; empty for {@code none}.
   *
   * @throws IllegalArgumentException with the nearest valid name if there is none of that name
   */
  static Optional<SampleRule> rule(String name) {
    Names.require("admission", name, NAMES);
    return switch (name) {
      case "breakwater-style" ->
          Optional.of(new BreakwaterRule(INITIAL, MOST, 1, Duration.ofMillis(20)));
      case "dagor-style" -> Optional.of(new DagorRule(INITIAL, MOST, Duration.ofMillis(20)));
      case "seda-style" -> Optional.of(new SedaRule(INITIAL, MOST, Duration.ofMillis(100)));
      default -> Optional.empty();
    };
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (!enter()) {
      response.setStatus(UNAVAILABLE);
      response.setContentType("text/plain;charset=UTF-8");
      response.setContentLength(REFUSAL.length);
      response.getOutputStream().write(REFUSAL);
      return;
    }
    long begun = clock.getAsLong();
    try {
      getNext().invoke(request, response);
    } finally {
      exit(begun, response.getStatus() == UNAVAILABLE);
    }
  }

  private boolean enter() {
    synchronized (rule) {
      if (running >= rule.limit()) {
        return false;
      }
      running++;
      return true;
    }
  }

  private void exit(long begun, boolean dropped) {
    synchronized (rule) {
      rule.sample(begun, clock.getAsLong() - begun, running, dropped);
      running--;
    }
  }
}
