package io.poolkeeper.testbed.peers.faults;

import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import io.poolkeeper.testbed.controllers.rules.AimdRule;
import io.poolkeeper.testbed.controllers.rules.FailsafeRule;
import io.poolkeeper.testbed.controllers.rules.Gradient2Rule;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.controllers.rules.VegasRule;
import io.poolkeeper.testbed.peers.NetflixRule;
import java.time.Duration;
import java.util.Map;

/** Contestants by name: rules that decide at every task, and controllers. */
final class Contestants {

  private Contestants() {}

  static Contestant named(String name) {
    if (name.equals("liberty-style")) {
      // The step of a machine with 20 processors, on which it was seen.
      return Contestant.controlled(name, Map.of("step", "20", "cores", "20"));
    }
    return isRule(name) ? Contestant.sampled(rule(name)) : Contestant.controlled(name);
  }

  static boolean isRule(String name) {
    return name.startsWith("netflix-")
        || name.startsWith("vegas-")
        || name.startsWith("gradient2-")
        || name.startsWith("aimd-")
        || name.startsWith("failsafe-");
  }

  static SampleRule rule(String name) {
    return switch (name) {
      case "netflix-vegas" -> new NetflixRule(name, VegasLimit.newDefault());
      case "netflix-gradient2" -> new NetflixRule(name, Gradient2Limit.newDefault());
      case "netflix-aimd" -> new NetflixRule(name, AIMDLimit.newBuilder().build());
      case "vegas-style" -> new VegasRule(20, 1000, 30, 1);
      case "gradient2-style" -> new Gradient2Rule(20, 20, 200);
      case "aimd-style" -> new AimdRule(20, 20, 200, Duration.ofSeconds(5));
      case "failsafe-style" -> new FailsafeRule(20, 1, 200);
      default -> throw new IllegalArgumentException("no rule is called " + name);
    };
  }
}
