package io.poolkeeper.testbed.applications;

/**
 * Network work: an answer of a size, always the same one (Tennage 2020, section 5.3). What it costs
 * is what the server costs.
 */
final class Message implements Application {

  private final String text;

  /** Answers so many bytes of US-ASCII, 1 or more. */
  Message(int bytes) {
    text = "x".repeat(bytes);
  }

  @Override
  public String answer() {
    return text;
  }
}
