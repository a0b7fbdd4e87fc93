package io.poolkeeper.testbed.servers;

import io.poolkeeper.spi.Ticker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that describe variants which take turns on the pool behind the server. */
final class VariantOptions {

  private static final String INITIAL = "initial";

  @Option(
      names = "--variant",
      paramLabel = "NAME:POOL[,SETTING=VALUE...]",
      description = {
        "In place of --pool, and repeated: variants that take turns on the same pool, each with a",
        "controller of its own, such as four:fixed:4 or own:response-curve,tolerance=0.05,initial=8.",
        "The first begins; POST /variant?name=NAME at the admin port begins a slice of another"
      })
  private List<String> variants = List.of();

  /**
   * A variant as it is written.
   *
   * @param initial size to begin with; null for that of the pool
   */
  record Stated(
      String name, String pool, Map<String, String> settings, @Nullable Integer initial) {}

  boolean given() {
    return !variants.isEmpty();
  }

  /** The text of each variant, by its name. */
  Map<String, String> written() {
    Map<String, String> written = new LinkedHashMap<>();
    for (String text : variants) {
      int colon = text.indexOf(':');
      if (colon < 1 || colon == text.length() - 1) {
        throw new IllegalArgumentException(
            "variant must be NAME:POOL, such as four:fixed:4, but is '%s'".formatted(text));
      }
      String name = text.substring(0, colon);
      if (written.put(name, text.substring(colon + 1)) != null) {
        throw new IllegalArgumentException("variant '%s' is given twice".formatted(name));
      }
    }
    return written;
  }

  /**
   * Creates the controller that hands the pool from variant to variant.
   *
   * @throws IllegalArgumentException naming the variant that is wrong
   */
  AlternatingController controller(Function<Stated, AlternatingController.Variant> describe) {
    List<AlternatingController.Variant> found = new ArrayList<>();
    written().forEach((name, text) -> found.add(describe.apply(parse(name, text))));
    return new AlternatingController(found, Ticker.system());
  }

  private static Stated parse(String name, String text) {
    String[] parts = text.split(",", -1);
    Map<String, String> settings = new LinkedHashMap<>();
    for (String part : List.of(parts).subList(1, parts.length)) {
      int equals = part.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "variant %s must have settings such as tolerance=0.05, but has '%s'"
                .formatted(name, part));
      }
      settings.put(part.substring(0, equals), part.substring(equals + 1));
    }
    String initial = settings.remove(INITIAL);
    return new Stated(name, parts[0], settings, initial == null ? null : positive(name, initial));
  }

  private static int positive(String variant, String text) {
    if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) < 1) {
      throw new IllegalArgumentException(
          "initial of variant %s must be a whole number >= 1, but is '%s'"
              .formatted(variant, text));
    }
    return Integer.parseInt(text);
  }

  /** Refuses an option that belongs to a pool of one variant. */
  static void refuseBeside(String option, boolean given) {
    if (given) {
      throw new IllegalArgumentException(
          option + " must be left out: each variant states its own, as NAME:POOL,SETTING=VALUE");
    }
  }
}
