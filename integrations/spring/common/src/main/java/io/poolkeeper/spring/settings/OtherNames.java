package io.poolkeeper.spring.settings;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;

/** Other names of beans: a setting by any of them is one of the pool. */
public final class OtherNames {

  private OtherNames() {}

  /** Has settings by another name of a bean hold, where there are none by the bean's own. */
  public static void follow(PoolkeeperProperties properties, ListableBeanFactory beans) {
    for (String name : beans.getBeanDefinitionNames()) {
      if (!PoolSettings.configured(properties, name)) {
        Arrays.stream(beans.getAliases(name))
            .flatMap(alias -> PoolSettings.entry(properties, alias).stream())
            .map(Map.Entry::getValue)
            .findFirst()
            .ifPresent(pool -> properties.getPools().put(name, pool));
      }
    }
  }

  /** Returns all names of a bean. */
  public static Stream<String> all(String name, ListableBeanFactory beans) {
    return Stream.concat(Stream.of(name), Arrays.stream(beans.getAliases(name)));
  }
}
