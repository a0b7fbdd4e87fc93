package io.poolkeeper.spring;

import io.poolkeeper.spring.pools.TaskExecutors;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/** Hints for native images: the one field that is read by reflection. */
final class PoolkeeperRuntimeHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    var field = ReflectionUtils.findField(TaskExecutors.DECORATED, TaskExecutors.DECORATOR);
    if (field != null) {
      hints.reflection().registerField(field);
    }
  }
}
