package io.poolkeeper.testbed.servers;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write them: {@code 500ms}, {@code 1.5s}, {@code 2m}. */
final class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m)");

  @Override
  public Duration convert(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "a duration is a number and a unit, such as 500ms, 10s or 1m, but this is '"
              + text
              + "'");
    }
    long unit =
        switch (matcher.group(2)) {
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          default -> 60_000_000_000L;
        };
    BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
    if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new TypeConversionException(
          "a duration is at most 292 years, but this is '" + text + "'");
    }
    return Duration.ofNanos(nanos.longValue());
  }
}
