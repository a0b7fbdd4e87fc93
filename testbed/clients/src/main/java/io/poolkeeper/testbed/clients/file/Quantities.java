package io.poolkeeper.testbed.clients.file;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with units, as people write them in a model file. */
public final class Quantities {

  private static final Pattern DURATION =
      Pattern.compile("([-+]?\\d+(?:\\.\\d+)?)\\s*(us|ms|s|m|h)");
  private static final Pattern RATE = Pattern.compile("([-+]?\\d+(?:\\.\\d+)?)\\s*/\\s*(s|m|h)");
  private static final Map<String, Double> SECONDS =
      Map.of("us", 1e-6, "ms", 1e-3, "s", 1.0, "m", 60.0, "h", 3600.0);

  private Quantities() {}

  /** Seconds of a text such as {@code 25ms}; NaN if it is no duration. */
  public static double seconds(String text) {
    Matcher found = DURATION.matcher(text);
    return found.matches() ? Double.parseDouble(found.group(1)) * unit(found) : Double.NaN;
  }

  /** The rate per second of a text such as {@code 128/s}; NaN if it is no rate. */
  public static double perSecond(String text) {
    Matcher found = RATE.matcher(text);
    return found.matches() ? Double.parseDouble(found.group(1)) / unit(found) : Double.NaN;
  }

  private static double unit(Matcher found) {
    return SECONDS.getOrDefault(found.group(2), Double.NaN);
  }

  /** A finite number; NaN if it is none. */
  public static double number(String text) {
    try {
      double value = Double.parseDouble(text);
      return Double.isFinite(value) ? value : Double.NaN;
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /** A duration for people: {@code 25 ms}, {@code 1.5 s}. */
  public static String spoken(double seconds) {
    double value = seconds < 1 ? seconds * 1e3 : seconds;
    String digits = String.format(Locale.ROOT, "%.3f", value).replaceAll("\\.?0+$", "");
    return digits + (seconds < 1 ? " ms" : " s");
  }
}
