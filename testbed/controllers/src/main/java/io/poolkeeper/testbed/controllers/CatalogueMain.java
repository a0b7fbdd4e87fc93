package io.poolkeeper.testbed.controllers;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the names of all controllers and policies with their settings, which the lab reads ({@code
 * contract/controllers.json}).
 */
final class CatalogueMain {

  private CatalogueMain() {}

  /** Writes to the file that is named. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("poolkeeper: name the file to write, contract/controllers.json");
      System.exit(2);
    }
    Files.writeString(Path.of(arguments[0]), json());
  }

  /** The file's text. */
  static String json() throws IOException {
    List<Map<String, Object>> all = new ArrayList<>();
    Controllers.all().forEach(descriptor -> all.add(entry("controller", descriptor)));
    Policies.all().forEach(descriptor -> all.add(entry("policy", descriptor)));
    DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
    printer.indentArraysWith(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);
    return new ObjectMapper().writer(printer).writeValueAsString(Map.of("controllers", all)) + "\n";
  }

  private static Map<String, Object> entry(String kind, ControllerDescriptor<?> descriptor) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("name", descriptor.name());
    entry.put("kind", kind);
    entry.put("source", descriptor.source());
    entry.put("window_s", descriptor.window().toNanos() / 1e9);
    entry.put("settings", descriptor.settings().stream().map(CatalogueMain::setting).toList());
    return entry;
  }

  private static Map<String, Object> setting(Setting setting) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("name", setting.name());
    values.put("meaning", setting.meaning());
    values.put("standard", Defaults.documented(setting));
    return values;
  }
}
