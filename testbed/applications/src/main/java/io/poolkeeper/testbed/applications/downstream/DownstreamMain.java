package io.poolkeeper.testbed.applications.downstream;

import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Service;
import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs a {@link DownstreamServer} until standard input closes. Prints one line of JSON when it is
 * ready, and nothing else on standard output.
 */
@Command(
    name = "downstream",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Serves HTTP on the loopback interface. Each path answers after its latency, and serves a",
      "limited number of requests at once.",
      "Prints one line of JSON when it is ready; ends when standard input closes.",
    },
    footer = {
      "",
      "While it runs, on its admin port:",
      "  GET  /settings                                  fault, profiles, requests present",
      "  POST /settings?path=call20&latency=400ms&capacity=400&degradation=0",
      "  POST /settings?fault=WORD                       none, refuse, hang, reset or drip"
    })
public final class DownstreamMain implements Callable<Integer> {

  @Option(
      names = "--port",
      defaultValue = "0",
      description = "Port; 0, the default, for a free one")
  private int port;

  @Option(
      names = "--admin-port",
      defaultValue = "0",
      description = "Port of the settings; 0, the default, for a free one")
  private int adminPort;

  @Option(
      names = "--profile",
      paramLabel = "PATH:SETTINGS",
      description = {
        "A path and its settings, such as call20:latency=20ms,capacity=16,degradation=0.1; may be",
        "repeated. Built-in paths: call and call20 (20ms, 16, 0.1), call400 (400ms, 400,",
        "0.1); a missing setting has the value of the path, or of call"
      })
  private List<String> profiles = List.of();

  private final PrintStream out;

  private DownstreamMain(PrintStream out) {
    this.out = out;
  }

  /** Exit codes: 0 after its end, 1 if something failed, 2 for what the caller can put right. */
  public static void main(String[] args) {
    System.exit(
        Commands.of(
                new DownstreamMain(System.out),
                System.out,
                System.err,
                e -> e instanceof IllegalArgumentException)
            .execute(args));
  }

  @Override
  public Integer call() throws IOException {
    Map<String, Profile> all = profiles();
    try (DownstreamServer server = new DownstreamServer(port, all);
        DownstreamAdmin admin = new DownstreamAdmin(adminPort, server)) {
      Map<String, Integer> ready = new LinkedHashMap<>();
      ready.put("port", server.port());
      ready.put("adminPort", admin.port());
      Service.announce(out, ready);
      Service.awaitEnd(System.in);
    }
    return 0;
  }

  private Map<String, Profile> profiles() {
    Map<String, Profile> all = new LinkedHashMap<>(DownstreamServer.DEFAULTS);
    Profile usual = DownstreamServer.DEFAULTS.getOrDefault("call", new Profile(1, 1, 0));
    for (String text : profiles) {
      int colon = text.indexOf(':');
      if (colon < 1) {
        throw new IllegalArgumentException(
            "profile must be PATH:SETTING=VALUE,..., but is '" + text + "'");
      }
      Map<String, String> settings = new LinkedHashMap<>();
      for (String pair : text.substring(colon + 1).split(",", -1)) {
        String[] parts = pair.split("=", 2);
        if (parts.length < 2) {
          throw new IllegalArgumentException(
              "a setting of a profile must be NAME=VALUE, but is '" + pair + "'");
        }
        settings.put(parts[0], parts[1]);
      }
      String path = text.substring(0, colon);
      all.put(path, all.getOrDefault(path, usual).with(settings));
    }
    return all;
  }
}
