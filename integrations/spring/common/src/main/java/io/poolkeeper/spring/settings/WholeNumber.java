package io.poolkeeper.spring.settings;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whole numbers that people write. */
public final class WholeNumber {

  private static final BigDecimal LARGEST = BigDecimal.valueOf(Integer.MAX_VALUE);

  /** Up to ten digits before the point: longer ones are no sizes. */
  private static final Pattern NUMBER = Pattern.compile("-?\\d{1,10}(\\.\\d{1,10})?(?![\\d.])");

  private WholeNumber() {}

  /** Returns whether a text is a number that fits into an {@code int}. */
  public static boolean is(String text) {
    try {
      Integer.parseInt(text.strip());
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** Returns the refusal of a value that is none, with the nearest number in it. */
  public static InvalidSettingException required(String property, Object value) {
    return new InvalidSettingException(
        property, value, "must be a whole number", nearest(value.toString()));
  }

  /** The nearest size: that of the first number in the text, null if there is none. */
  static @Nullable Integer nearest(String text) {
    Matcher matcher = NUMBER.matcher(text);
    return matcher.find()
        ? new BigDecimal(matcher.group())
            .setScale(0, RoundingMode.HALF_UP)
            .max(BigDecimal.ONE)
            .min(LARGEST)
            .intValueExact()
        : null;
  }
}
