package io.poolkeeper.testbed.controllers;

import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.commands.Names;
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
  public static List<ControllerDescriptor<EventPolicy>> all() {
    List<ControllerDescriptor<EventPolicy>> all = new ArrayList<>();
    ServiceLoader.load(PolicyProvider.class).forEach(provider -> all.addAll(provider.policies()));
    return List.copyOf(all);
  }

  /** Names of all policies and all controllers: what a comparison can choose from. */
  public static Set<String> contestants() {
    Set<String> names = new TreeSet<>();
    all().forEach(descriptor -> names.add(descriptor.name()));
    Controllers.all().forEach(descriptor -> names.add(descriptor.name()));
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
    ControllerDescriptor<EventPolicy> descriptor = descriptor(name);
    Descriptors.requireSettings(descriptor, settings);
    return descriptor.make(settings);
  }

  /**
   * Returns the descriptor from which a policy of that name is made.
   *
   * @throws IllegalArgumentException if there is none, with the nearest name
   * @throws IllegalStateException if two have the same name
   */
  public static ControllerDescriptor<EventPolicy> descriptor(String name) {
    Map<String, ControllerDescriptor<EventPolicy>> byName = new LinkedHashMap<>();
    for (ControllerDescriptor<EventPolicy> descriptor : all()) {
      if (byName.put(descriptor.name(), descriptor) != null) {
        throw new IllegalStateException("two policies are called " + descriptor.name());
      }
    }
    Names.require("policy", name, byName.keySet());
    return Objects.requireNonNull(byName.get(name));
  }
}
