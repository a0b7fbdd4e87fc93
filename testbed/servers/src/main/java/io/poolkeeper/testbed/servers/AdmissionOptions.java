package io.poolkeeper.testbed.servers;

import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import io.poolkeeper.Bounds;
import io.poolkeeper.spi.Ticker;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.controllers.rules.FailsafeRule;
import io.poolkeeper.testbed.servers.admission.FixedLimit;
import io.poolkeeper.testbed.servers.admission.Limit;
import io.poolkeeper.testbed.servers.admission.NetflixLimit;
import io.poolkeeper.testbed.servers.admission.RuleLimit;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that describe a limit in front of the server, in place of a pool. */
final class AdmissionOptions {

  private static final String ADAPTIVE = "adaptive";
  private static final String FIXED = "fixed:";
  private static final int MOST = 1_000_000;

  /** Limits of others with their default settings, which nobody may change. */
  private static final Map<String, Published> PUBLISHED = published();

  @Option(
      names = "--admission",
      paramLabel = "LIMIT",
      description = {
        "In place of --pool, a limit on what is processed at once: each admitted request has a",
        "thread of its own (a virtual one from JDK 21 on), others are answered with 503. none,",
        "fixed:N, adaptive (the library's AdaptiveLimiter), netflix-vegas, netflix-gradient2,",
        "netflix-windowed-gradient2, netflix-aimd or failsafe-style"
      })
  private @Nullable String admission;

  @Option(
      names = "--patience",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = {
        "With --admission adaptive, the longest wait of a request before it is answered with 503.",
        "Default: none"
      })
  private @Nullable Duration patience;

  /**
   * A limit of others.
   *
   * @param bounds within which it lies by itself
   */
  private record Published(Bounds bounds, Supplier<Limit> maker) {}

  /**
   * A limit as described.
   *
   * @param name its name in options and records
   * @param bounds within which it lies; null for the library's own, which has those of the pool
   * @param maker makes it; null for the library's own
   * @param patience longest wait, zero for none
   */
  record Chosen(
      String name, @Nullable Bounds bounds, @Nullable Supplier<Limit> maker, Duration patience) {

    /** Whether it is the library's own. */
    boolean adaptive() {
      return maker == null;
    }

    /** Its bounds, of one that is not the library's own. */
    Bounds limits() {
      return Objects.requireNonNull(bounds);
    }

    /** A new limit, of one that is not the library's own. */
    Limit limit() {
      return Objects.requireNonNull(maker).get();
    }
  }

  private static Map<String, Published> published() {
    Map<String, Published> published = new LinkedHashMap<>();
    published.put("none", new Published(new Bounds(1, MOST), FixedLimit::none));
    Bounds netflix = new Bounds(1, 1000);
    published.put(
        "netflix-vegas", new Published(netflix, () -> new NetflixLimit(VegasLimit.newDefault())));
    published.put(
        "netflix-gradient2",
        new Published(netflix, () -> new NetflixLimit(Gradient2Limit.newDefault())));
    published.put(
        "netflix-windowed-gradient2",
        new Published(
            netflix,
            () -> new NetflixLimit(WindowedLimit.newBuilder().build(Gradient2Limit.newDefault()))));
    published.put(
        "netflix-aimd",
        new Published(netflix, () -> new NetflixLimit(AIMDLimit.newBuilder().build())));
    published.put(
        "failsafe-style",
        new Published(
            new Bounds(1, 200),
            () -> new RuleLimit(new FailsafeRule(20, 1, 200), Ticker.system())));
    return published;
  }

  /** Whether a limit is wanted. */
  boolean given() {
    return admission != null;
  }

  /** The limit as it was written. */
  String text() {
    return String.valueOf(admission);
  }

  /**
   * Rejects options that make no sense without a limit.
   *
   * @throws IllegalArgumentException naming the option
   */
  void requireNone() {
    if (patience != null) {
      throw new IllegalArgumentException("patience needs --admission " + ADAPTIVE);
    }
  }

  /**
   * The limit as described.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  Chosen choose() {
    String name = text();
    if (!name.equals(ADAPTIVE) && patience != null) {
      throw new IllegalArgumentException(
          "patience needs --admission %s: %s lets nobody wait".formatted(ADAPTIVE, name));
    }
    if (name.startsWith(FIXED)) {
      int size = size(name);
      return new Chosen(name, new Bounds(size, size), () -> FixedLimit.of(size), Duration.ZERO);
    }
    TreeSet<String> names = new TreeSet<>(PUBLISHED.keySet());
    names.add(ADAPTIVE);
    names.add(FIXED + "N");
    Names.require("admission", name, names);
    if (name.equals(ADAPTIVE)) {
      return new Chosen(name, null, null, patience == null ? Duration.ZERO : patience);
    }
    Published published = Objects.requireNonNull(PUBLISHED.get(name));
    return new Chosen(name, published.bounds(), published.maker(), Duration.ZERO);
  }

  private static int size(String text) {
    String number = text.substring(FIXED.length());
    if (!number.matches("[1-9][0-9]{0,5}")) {
      throw new IllegalArgumentException(
          "admission must be fixed:N with a whole number from 1 to 999999, such as fixed:16, but is"
              + " '%s'".formatted(text));
    }
    return Integer.parseInt(number);
  }
}
