package io.poolkeeper;

/** Treatment of decisions by a {@link ControlLoop}. */
public enum Mode {
  /** Decides and resizes. */
  ACTIVE("active"),
  /** Decides and records, does not resize. */
  DRY_RUN("dry-run"),
  /** Measures only; the controller is not called and the size stays. */
  FROZEN("frozen");

  private final String text;

  Mode(String text) {
    this.text = text;
  }

  /**
   * Returns the mode by name: active, dry-run or frozen.
   *
   * @throws IllegalArgumentException if there is no mode of that name
   */
  public static Mode of(String name) {
    for (Mode mode : values()) {
      if (mode.text.equals(name)) {
        return mode;
      }
    }
    throw new IllegalArgumentException(
        "mode must be active, dry-run or frozen, but is '" + name + "'");
  }

  @Override
  public String toString() {
    return text;
  }
}
