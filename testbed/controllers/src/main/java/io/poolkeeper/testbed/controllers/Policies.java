package io.poolkeeper.testbed.controllers;

import io.poolkeeper.Controllers;
import io.poolkeeper.spi.Blueprint;
import io.poolkeeper.spi.Names;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/**
 * The policies that decide at events, by name; for those that decide once a window see {@link
 * Controllers}.
 */
public final class Policies {

  private Policies() {}

  /** Every policy of every module on the class path. */
  public static List<Blueprint<EventPolicy>> all() {
    List<Blueprint<EventPolicy>> all = new ArrayList<>();
    ServiceLoader.load(PolicyProvider.class).forEach(provider -> all.addAll(provider.policies()));
    return List.copyOf(all);
  }

  /** Names of all policies and all controllers: what a comparison can choose from. */
  public static Set<String> contestants() {
    Set<String> names = new TreeSet<>();
    all().forEach(blueprint -> names.add(blueprint.name()));
    Controllers.all().forEach(blueprint -> names.add(blueprint.name()));
    return names;
  }

  /**
   * A policy by name, with settings as they stand in a configuration; one that is not given has its
   * published default.
   *
   * @throws IllegalArgumentException naming what is unknown, with the nearest valid word, or the
   *     setting and value that is wrong
   * @throws IllegalStateException if two have the same name
   */
  public static EventPolicy named(String name, Map<String, String> settings) {
    return blueprint(name).make(settings);
  }

  /**
   * Returns the blueprint from which a policy of that name is made.
   *
   * @throws IllegalArgumentException if there is none, with the nearest name
   * @throws IllegalStateException if two have the same name
   */
  public static Blueprint<EventPolicy> blueprint(String name) {
    Map<String, Blueprint<EventPolicy>> byName = new LinkedHashMap<>();
    for (Blueprint<EventPolicy> blueprint : all()) {
      if (byName.put(blueprint.name(), blueprint) != null) {
        throw new IllegalStateException("two policies are called " + blueprint.name());
      }
    }
    Names.require("policy", name, byName.keySet());
    return Objects.requireNonNull(byName.get(name));
  }
}
