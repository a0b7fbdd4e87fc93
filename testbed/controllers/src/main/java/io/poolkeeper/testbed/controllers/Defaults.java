package io.poolkeeper.testbed.controllers;

import io.poolkeeper.spi.Setting;
import org.jspecify.annotations.Nullable;

/** Defaults of settings in documents that hold for every machine. */
public final class Defaults {

  private Defaults() {}

  /** Returns the default, or the property of the machine that it is; null if there is none. */
  public static @Nullable String documented(Setting setting) {
    return setting.ofMachine().isEmpty() ? setting.standard() : setting.ofMachine();
  }
}
