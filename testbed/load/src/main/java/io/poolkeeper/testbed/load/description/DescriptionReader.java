package io.poolkeeper.testbed.load.description;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.clients.file.ClientDescription;
import io.poolkeeper.testbed.clients.file.ClientsReader;
import io.poolkeeper.testbed.clients.file.Entry;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Names;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads a load description, YAML or JSON, as {@code contract/load-description.md} has it. Its
 * {@code clients} are read as those of a model of the simulator are; beside them stands what only
 * real requests need.
 */
public final class DescriptionReader {

  /** Ten days: longer than any experiment, and far below where nanoseconds overflow. */
  private static final double LONGEST = 10 * 24 * 3600;

  private static final double SHORTEST_TIMEOUT = 0.001;
  private static final double TIMEOUT = 30;
  private static final int CONNECTIONS = 1000;
  private static final int MOST_CONNECTIONS = 1_000_000;

  /** More a second than a load thread could ever send. */
  private static final double MOST_ARRIVALS = 1_000_000;

  /** A connection with its parser, its buffers and the state of its client, with room to spare. */
  private static final int BYTES_A_CONNECTION = 2048;

  /** Response times of one kind of request over one second, of a thread and of all. */
  private static final int BYTES_A_REQUEST = 1 << 20;

  private static final double PART_OF_MEMORY = 0.6;
  private static final double MEGA = 1 << 20;

  private DescriptionReader() {}

  /**
   * Reads a description to its end.
   *
   * @param name what it is called in complaints
   * @param memory bytes that the load may use a part of
   * @throws BadInput naming line, setting, rule and value, if it is not a valid description
   * @throws IOException if {@code in} cannot be read
   */
  public static LoadDescription read(String name, InputStream in, long memory)
      throws BadInput, IOException {
    String text;
    try {
      text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(in.readAllBytes())).toString();
    } catch (CharacterCodingException e) {
      throw new BadInput(name + ": is not UTF-8 text");
    }
    return description(
        Entry.read(
            name, text, "a load description is a mapping of settings, such as 'clients: ...'"),
        memory);
  }

  private static LoadDescription description(Entry root, long memory) throws BadInput {
    Entry.Group group = root.group(ClientsReader.LOAD_DESCRIPTION);
    Entry entry = group.require("clients");
    List<ClientDescription> all = new ClientsReader(Set.of()).all(entry);
    if (all.size() > 1) {
      throw entry.error("must be of one kind here: several at once can be simulated alone");
    }
    Map<String, Entry> http = group.require("http").named("requests");
    Clients clients = lasting(group, all.get(0).clients());
    clients = named(clients, entry, http);
    check(entry, clients);
    Entry connections = group.get("connections");
    if (connections != null && clients instanceof Clients.Closed) {
      throw connections.error("are for clients who arrive: closed users have one each");
    }
    Entry timeout = group.get("timeout");
    LoadDescription load =
        new LoadDescription(
            all.get(0).kind().toString(),
            clients,
            requests(clients, http, new RequestReader(group.get("parameters"))),
            connections == null ? CONNECTIONS : connections.whole(1, MOST_CONNECTIONS),
            timeout == null ? duration(TIMEOUT) : timeout(timeout),
            group.whole("seed", 0, Integer.MAX_VALUE, 1));
    requireMemory(connections == null ? entry : connections, load, memory);
    return load;
  }

  /** The clients with an end to their last phase. */
  private static Clients lasting(Entry.Group group, Clients clients) throws BadInput {
    List<Phase> phases = clients.phases();
    if (Double.isFinite(phases.get(0).seconds())) {
      group.refuse("must be left out: the phases of the clients say how long the load is", "for");
      return clients;
    }
    double seconds = group.require("for").positiveSeconds();
    return clients.during(List.of(new Phase(seconds, phases.get(0).from())));
  }

  /** The clients with the only request there is, where they name none. */
  private static Clients named(Clients clients, Entry entry, Map<String, Entry> http)
      throws BadInput {
    if (http.size() == 1 && clients.names().equals(ClientsReader.ONE_REQUEST.names())) {
      return clients.sending(Requests.of(http.keySet().iterator().next()));
    }
    for (String name : clients.names()) {
      try {
        Names.require("request", name, http.keySet());
      } catch (IllegalArgumentException e) {
        throw entry.error("send a request that http does not describe: " + e.getMessage());
      }
    }
    return clients;
  }

  private static void check(Entry entry, Clients clients) throws BadInput {
    double seconds = clients.phases().stream().mapToDouble(Phase::seconds).sum();
    if (seconds > LONGEST) {
      throw entry.error("must last ten days at most");
    }
    double most = clients.phases().stream().mapToDouble(Phase::most).max().orElse(0);
    boolean closed = clients instanceof Clients.Closed;
    double bound = closed ? MOST_CONNECTIONS : MOST_ARRIVALS;
    if (most > bound) {
      throw entry.error(
          String.format(
              Locale.ROOT,
              "must be at most %,.0f %s, but are %,.0f",
              bound,
              closed ? "users" : "arrivals a second",
              most));
    }
  }

  private static List<Request> requests(
      Clients clients, Map<String, Entry> http, RequestReader reader) throws BadInput {
    Map<String, Request> requests = new LinkedHashMap<>();
    for (String name : clients.names()) {
      Entry entry = http.get(name);
      if (entry != null) {
        requests.put(name, reader.request(requests.size(), name, entry));
      }
    }
    for (Map.Entry<String, Entry> each : http.entrySet()) {
      // So that what is wrong in one that nobody sends is told as well.
      reader.request(0, each.getKey(), each.getValue());
    }
    return new ArrayList<>(requests.values());
  }

  private static Duration timeout(Entry entry) throws BadInput {
    double seconds = entry.seconds();
    if (!(SHORTEST_TIMEOUT <= seconds && seconds <= LONGEST)) {
      throw entry.mustBe("1ms to ten days");
    }
    return duration(seconds);
  }

  private static Duration duration(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  private static void requireMemory(Entry entry, LoadDescription load, long memory)
      throws BadInput {
    double needed =
        (double) BYTES_A_CONNECTION * load.maximumConnections()
            + (double) BYTES_A_REQUEST * load.requests().size();
    double there = PART_OF_MEMORY * memory;
    if (needed > there) {
      throw entry.error(
          String.format(
              Locale.ROOT,
              "need about %,.0f MB for %,d connections and %,d kinds of requests, but there are"
                  + " %,.0f MB; give the process more with -Xmx",
              needed / MEGA,
              load.maximumConnections(),
              load.requests().size(),
              there / MEGA));
    }
  }
}
