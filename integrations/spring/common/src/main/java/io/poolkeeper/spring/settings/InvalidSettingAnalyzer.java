package io.poolkeeper.spring.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains an {@link InvalidSettingException} on the console, without a stack trace. */
final class InvalidSettingAnalyzer extends AbstractFailureAnalyzer<InvalidSettingException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingException cause) {
    return analysis(cause, cause);
  }

  /** Says what is wrong with a property, and what to set. */
  static FailureAnalysis analysis(InvalidSettingException cause, Throwable shown) {
    return new FailureAnalysis(
        cause.getMessage(),
        cause.nearest() == null
            ? "Change %s, or remove the property.".formatted(cause.property())
            : "Set %s=%s, or remove the property.".formatted(cause.property(), cause.nearest()),
        shown);
  }
}
