package io.poolkeeper.spring.settings;

import org.jspecify.annotations.Nullable;

/** A property with a value that it cannot have. The service does not start. */
public final class InvalidSettingException extends RuntimeException {

  private final transient String property;
  private final transient Object value;
  private final transient @Nullable Object nearest;

  /**
   * Makes an exception.
   *
   * @param property full name
   * @param value as it is configured
   * @param reason the condition that the value breaks
   * @param nearest the valid value that is nearest; null if that says nothing
   */
  public InvalidSettingException(
      String property, Object value, String reason, @Nullable Object nearest) {
    super(
        "%s = %s: %s".formatted(property, value, reason)
            + (nearest == null ? "" : "; nearest valid value: " + nearest));
    this.property = property;
    this.value = value;
    this.nearest = nearest;
  }

  /** Full name of the property. */
  public String property() {
    return property;
  }

  /** The value as it is configured. */
  public Object value() {
    return value;
  }

  /** The valid value that is nearest; null if that says nothing. */
  public @Nullable Object nearest() {
    return nearest;
  }
}
