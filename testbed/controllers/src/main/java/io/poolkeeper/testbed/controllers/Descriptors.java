package io.poolkeeper.testbed.controllers;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.Setting;
import io.poolkeeper.testbed.commands.Names;
import java.util.List;
import java.util.Map;

/** Names of controllers and of their settings as people write them, checked with suggestions. */
public final class Descriptors {

  private Descriptors() {}

  /**
   * Returns the descriptor of a controller.
   *
   * @throws IllegalArgumentException with the nearest name, if there is none of that name
   */
  public static ControllerDescriptor<Controller> controller(String name) {
    Names.require(
        "controller", name, Controllers.all().stream().map(ControllerDescriptor::name).toList());
    return Controllers.descriptor(name);
  }

  /**
   * Checks the names of settings, not their values.
   *
   * @throws IllegalArgumentException naming one that the descriptor does not have, with the nearest
   *     name
   */
  public static void requireSettings(
      ControllerDescriptor<?> descriptor, Map<String, String> given) {
    List<String> names = descriptor.settings().stream().map(Setting::name).toList();
    if (!names.isEmpty()) {
      given.keySet().forEach(key -> Names.require("setting of " + descriptor.name(), key, names));
    }
  }
}
