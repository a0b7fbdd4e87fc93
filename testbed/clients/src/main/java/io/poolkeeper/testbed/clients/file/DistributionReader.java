package io.poolkeeper.testbed.clients.file;

import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Names;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Reads distributions: {@code 25ms}, {@code exponential 25ms}, {@code uniform 10ms..40ms}, {@code
 * lognormal 25ms scv 4}; amounts of work are written alike, without units.
 */
public final class DistributionReader {

  private static final String EXAMPLES =
      "such as %1$s, exponential %1$s, uniform %1$s..%2$s or lognormal %1$s scv 4";
  private static final List<String> KINDS = List.of("exponential", "uniform", "lognormal");

  private final ToDoubleFunction<String> amount;
  private final String wanted;

  private DistributionReader(ToDoubleFunction<String> amount, String wanted) {
    this.amount = amount;
    this.wanted = wanted;
  }

  /** Reads times, in seconds. */
  public static final DistributionReader TIME =
      new DistributionReader(Quantities::seconds, "a time, " + EXAMPLES.formatted("25ms", "40ms"));

  /** Reads amounts of work without unit. */
  public static final DistributionReader AMOUNT =
      new DistributionReader(Quantities::number, "an amount, " + EXAMPLES.formatted("1", "3"));

  public Distribution read(Entry entry) throws BadInput {
    String[] words = entry.text().split("\\s+");
    try {
      if (words.length == 1 && Character.isLetter(words[0].charAt(0))) {
        Names.require("distribution", words[0], KINDS);
        throw entry.mustBe(wanted);
      }
      if (words.length == 1) {
        return Distribution.constant(amount(entry, words[0]));
      }
      return switch (Names.require("distribution", words[0], KINDS)) {
        case "exponential" -> Distribution.exponential(amount(entry, tail(entry, words, 2)));
        case "uniform" -> uniform(entry, tail(entry, words, 2).split("\\.\\."));
        default -> lognormal(entry, words);
      };
    } catch (IllegalArgumentException e) {
      throw entry.error(e);
    }
  }

  private Distribution uniform(Entry entry, String[] ends) throws BadInput {
    if (ends.length != 2) {
      throw entry.mustBe(wanted);
    }
    return Distribution.uniform(amount(entry, ends[0]), amount(entry, ends[1]));
  }

  private Distribution lognormal(Entry entry, String[] words) throws BadInput {
    if (words.length != 4 || !words[2].equals("scv")) {
      throw entry.mustBe(wanted);
    }
    return Distribution.lognormal(amount(entry, words[1]), Quantities.number(words[3]));
  }

  private String tail(Entry entry, String[] words, int length) throws BadInput {
    if (words.length != length) {
      throw entry.mustBe(wanted);
    }
    return words[1];
  }

  private double amount(Entry entry, String text) throws BadInput {
    double found = amount.applyAsDouble(text);
    if (Double.isNaN(found)) {
      throw entry.mustBe(wanted);
    }
    if (found < 0) {
      throw entry.mustBe("0 or more");
    }
    return found;
  }
}
