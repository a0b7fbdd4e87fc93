package io.poolkeeper.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Control settings of a pool, as {@code run.json} holds them: enough for a replay to control it
 * again.
 *
 * @param controller name of the controller, as {@link Controllers#named} knows it
 * @param settings all of its settings by name, the standard ones among them
 * @param objective what the pool was asked to optimise
 * @param bounds the sizes that it might have
 */
public record PoolSetup(
    String controller, Map<String, String> settings, Objective objective, Bounds bounds) {

  /** Copies {@code settings}, keeping their order. */
  public PoolSetup {
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  /**
   * A setup with the standard values of the settings that are not given.
   *
   * @throws IllegalArgumentException naming the controller or the setting that is unknown or
   *     missing
   */
  public static PoolSetup of(
      String controller, Map<String, String> given, Objective objective, Bounds bounds) {
    return new PoolSetup(
        controller, Controllers.descriptor(controller).complete(given), objective, bounds);
  }

  /**
   * A controller such as the pool had, that knows nothing yet.
   *
   * @throws IllegalArgumentException if there is none of that name, or a setting is wrong
   */
  public Controller newController() {
    return Controllers.named(controller, settings);
  }

  /** The setup as the {@code pools} of {@code run.json} hold it, ready to be written as JSON. */
  public Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("controller", controller);
    document.put("settings", settings);
    document.put("objective", objective.name());
    Map<String, Integer> sizes = new LinkedHashMap<>();
    sizes.put("minimum", bounds.minimum());
    sizes.put("maximum", bounds.maximum());
    document.put("bounds", sizes);
    return document;
  }

  /**
   * The setups of a run by the names of its pools; empty where {@code run.json} is missing, or does
   * not tell.
   *
   * @throws IOException if {@code run.json} cannot be read; naming the version if that is a later
   *     one, or the pool and the field that is missing or wrong
   */
  public static Map<String, PoolSetup> readAll(Path folder) throws IOException {
    JsonNode run = new RecordFolder(folder).readRun();
    if (!run.has("pools")) {
      return Map.of();
    }
    String file = folder.resolve("run.json").toString();
    Map<String, PoolSetup> setups = new LinkedHashMap<>();
    Fields pools = new Fields(file, run).object("pools");
    for (String name : pools.object().properties().stream().map(Map.Entry::getKey).toList()) {
      Fields pool = new Fields(file + ", pool " + name, pools.object(name).object());
      setups.put(name, read(pool));
    }
    return setups;
  }

  private static PoolSetup read(Fields pool) throws IOException {
    Fields written = pool.object("settings");
    Map<String, String> settings = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> setting : written.object().properties()) {
      settings.put(setting.getKey(), written.text(setting.getKey()));
    }
    Fields bounds = pool.object("bounds");
    try {
      return new PoolSetup(
          pool.text("controller"),
          settings,
          Objective.named(pool.text("objective")),
          new Bounds(bounds.size("minimum"), bounds.size("maximum")));
    } catch (IllegalArgumentException e) {
      throw new IOException(pool.place() + ": " + e.getMessage(), e);
    }
  }
}
