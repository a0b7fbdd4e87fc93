package io.poolkeeper.spring.settings;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/**
 * Explains a property {@code poolkeeper.*} whose value is of another type, such as a word for a
 * number. Spring Boot's own explanation has no nearest value, and of a group without settings, as a
 * YAML file has where all of them are comments, not even the place.
 */
final class InvalidTypeAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

  private static final ConfigurationPropertyName PREFIX =
      ConfigurationPropertyName.of("poolkeeper");

  private static final Pattern TIME = Pattern.compile("(\\d{1,9})\\s*([a-z]?)[a-z]*");

  private static final List<String> BOOLEANS = List.of("true", "false");

  @Override
  public int getOrder() {
    return 0; // Before Spring Boot's own, which has no order.
  }

  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
    if (!PREFIX.isAncestorOf(cause.getName())) {
      return null;
    }
    ConfigurationProperty property = cause.getProperty();
    return InvalidSettingAnalyzer.analysis(
        explain(
            cause.getName().toString(),
            property == null ? "" : String.valueOf(property.getValue()),
            cause.getTarget().getType().resolve(Object.class)),
        cause);
  }

  private static InvalidSettingException explain(String name, String value, Class<?> type) {
    if (type == Integer.class) {
      return WholeNumber.required(name, value);
    }
    if (type == Boolean.class || type == boolean.class) {
      return new InvalidSettingException(
          name, value, "must be true or false", NearestName.of(value, BOOLEANS).orElseThrow());
    }
    if (type == Duration.class) {
      return new InvalidSettingException(
          name, value, "must be a time such as 500ms or 1s", nearestTime(value));
    }
    return new InvalidSettingException(
        name,
        "(no settings)", // Spring Boot does not tell the value.
        "is a group and must have settings below it, such as " + settingBelow(name),
        null);
  }

  /** The first number of the text with the unit that its letters begin with; null without one. */
  private static @Nullable String nearestTime(String value) {
    String text = value.toLowerCase(Locale.ROOT);
    Matcher matcher = TIME.matcher(text);
    if (!matcher.find()) {
      return null;
    }
    String unit =
        matcher.group().contains("ms") || matcher.group().contains("mil")
            ? "ms"
            : matcher.group(2).matches("[smhd]") ? matcher.group(2) : "s";
    return matcher.group(1) + unit;
  }

  private static String settingBelow(String name) {
    return switch (name) {
      case "poolkeeper.web" -> name + ".patience";
      case "poolkeeper.console" -> name + ".port";
      case "poolkeeper.pools" -> name + ".web.max";
      default -> name + ".max";
    };
  }
}
