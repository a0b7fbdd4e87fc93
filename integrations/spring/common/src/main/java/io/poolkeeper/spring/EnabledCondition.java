package io.poolkeeper.spring;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Holds unless {@code poolkeeper.enabled} is false, in any of the spellings that a boolean property
 * has: with {@code @ConditionalOnBooleanProperty} the value {@code yes} would switch all off.
 */
public final class EnabledCondition implements Condition {

  /** For Spring, which makes conditions. */
  public EnabledCondition() {}

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    return Binder.get(context.getEnvironment())
        .bind("poolkeeper.enabled", Boolean.class)
        .orElse(true);
  }
}
