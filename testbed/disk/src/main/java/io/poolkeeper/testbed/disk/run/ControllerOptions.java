package io.poolkeeper.testbed.disk.run;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that runs a workload once with a controller; a mixin. */
public final class ControllerOptions {

  @Option(names = "--controller", required = true, description = "Name of a controller or policy")
  private String name = "";

  @Option(names = "--set", description = "Setting of the controller, name=value")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--initial", description = "Threads to begin with; default ${DEFAULT-VALUE}")
  private int initial = 1;

  @Option(names = "--advice-only", description = "Computes decisions without following them")
  private boolean adviceOnly;

  @Option(names = "--record", description = "Folder for windows and decisions; default none")
  private @Nullable Path record;

  @Option(names = "--check", description = "Checks all options, and runs nothing")
  private boolean check;

  /** Makes options with their defaults, for the parser to set. */
  public ControllerOptions() {}

  /** Name of the controller or policy. */
  public String name() {
    return name;
  }

  /** Settings of the controller by their names. */
  public Map<String, String> settings() {
    return settings;
  }

  /** Threads to begin with. */
  public int initial() {
    return initial;
  }

  /** Whether decisions are not followed. */
  public boolean adviceOnly() {
    return adviceOnly;
  }

  /** Whether the options are only checked. */
  public boolean check() {
    return check;
  }

  /** Folder of the record; null for none. */
  public @Nullable Path record() {
    return record;
  }
}
