package io.poolkeeper.testbed.clients.file;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.clients.file.ClientDescription.Kind;
import io.poolkeeper.testbed.commands.BadInput;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads who sends requests: closed, open or half-open. A model of the simulator and a load
 * description of the load generator describe them in the same words.
 */
public final class ClientsReader {

  private static final List<String> COMMON = List.of("kind", "name", "tier", "phases", "requests");
  private static final Map<Kind, List<String>> OWN =
      Map.of(
          Kind.CLOSED, List.of("users", "think_time", "retry", "chain"),
          Kind.OPEN, List.of("rate", "arrivals"),
          Kind.HALF_OPEN, List.of("rate", "arrivals", "stay", "think_time", "chain"));

  /** Settings of a load description, of which the simulator takes the clients alone. */
  public static final List<String> LOAD_DESCRIPTION =
      List.of("clients", "for", "parameters", "http", "timeout", "connections", "seed", "question");

  /** Requests of clients whose description names none. */
  public static final Requests ONE_REQUEST = Requests.of("request");

  private static final String BATCHES = "{batches_of: 4}";
  private static final String BURSTS = "{peak: 5, burst: 1s, quiet: 9s}";

  private static final double RETRY = 0.01;

  private final Set<String> tiers;

  /**
   * A reader of clients.
   *
   * @param tiers names of the tiers that may be sent to; empty where any may stand
   */
  public ClientsReader(Set<String> tiers) {
    this.tiers = tiers;
  }

  /** One kind of clients, or a list of them under different names. */
  public List<ClientDescription> all(Entry entry) throws BadInput {
    List<ClientDescription> all = new ArrayList<>();
    Map<String, Integer> lines = new LinkedHashMap<>();
    for (Entry each : entry.elements()) {
      ClientDescription played = client(each);
      Integer first = lines.putIfAbsent(played.clients().name(), each.line());
      if (first != null) {
        throw each.error(
            "need a name of their own, but '%s' stands on line %d already"
                .formatted(played.clients().name(), first));
      }
      all.add(played);
    }
    return all;
  }

  private ClientDescription client(Entry entry) throws BadInput {
    Map<String, Entry> members = entry.named("settings");
    Entry word = members.get("kind");
    if (word == null) {
      entry.group(
          Stream.concat(COMMON.stream(), OWN.values().stream().flatMap(List::stream)).toList());
      throw entry.error("must say their kind: closed, open or half-open");
    }
    String named =
        word.word("kind of clients", Stream.of(Kind.values()).map(Kind::toString).toList());
    Kind kind = Kind.valueOf(named.toUpperCase(Locale.ROOT).replace('-', '_'));
    List<String> settings = new ArrayList<>(COMMON);
    settings.addAll(OWN.getOrDefault(kind, List.of()));
    Entry.Group group = entry.group(settings);
    try {
      return new ClientDescription(kind, clients(kind, group), entry.line());
    } catch (IllegalArgumentException e) {
      throw entry.error(e);
    }
  }

  private Clients clients(Kind kind, Entry.Group group) throws BadInput {
    Entry name = group.get("name");
    Entry tier = group.get("tier");
    String at = tier == null ? "" : tiers.isEmpty() ? tier.text() : tier.word("tier", tiers);
    Entry think = group.get("think_time");
    Distribution thinking =
        think == null ? Distribution.constant(0) : DistributionReader.TIME.read(think);
    Requests requests = requests(group);
    if (kind == Kind.CLOSED) {
      return new Clients.Closed(
          name == null ? "users" : name.text(),
          at,
          requests,
          phases(group, kind),
          thinking,
          group.seconds("retry", RETRY));
    }
    double stay = 0;
    if (kind == Kind.HALF_OPEN && !group.has("chain")) {
      stay = group.require("stay").number(0, Math.nextDown(1), "a probability, 0 to below 1");
    } else {
      group.refuse("is said by the chain of requests", "stay");
    }
    return new Clients.Arriving(
        name == null ? "arrivals" : name.text(),
        at,
        requests,
        phases(group, kind),
        pattern(group.get("arrivals")),
        stay,
        thinking);
  }

  private static List<Phase> phases(Entry.Group group, Kind kind) throws BadInput {
    String level = kind == Kind.CLOSED ? "users" : "rate";
    Entry listed = group.get("phases");
    if (listed == null) {
      Entry always = group.require(level);
      if (always.ends().size() > 1) {
        throw always.error(
            "is a ramp, which stands in phases: they say how long it takes, as in"
                + " phases: [{%s: %s, for: 1m}]".formatted(level, always.text()));
      }
      return Phase.always(level(always, level, false));
    }
    group.refuse("stands in each of the phases already", level);
    List<Phase> phases = new ArrayList<>();
    for (Entry each : listed.elements()) {
      Entry.Group phase = each.group(level, "for", "requests");
      List<Entry> ends = phase.require(level).ends();
      double seconds = phase.require("for").positiveSeconds();
      double from = level(ends.get(0), level, true);
      double to = level(ends.get(ends.size() - 1), level, true);
      phases.add(new Phase(seconds, from, to, ownRequests(group, kind, phase)));
    }
    if (group.has("requests") && phases.stream().allMatch(phase -> phase.requests() != null)) {
      group.refuse("stand in each of the phases already", "requests");
    }
    if (phases.stream().allMatch(phase -> phase.most() == 0)) {
      throw listed.error("must have at least one phase with a %s above 0".formatted(level));
    }
    return phases;
  }

  /** The requests of a phase; null where it sends those of the clients. */
  private static @Nullable Requests ownRequests(Entry.Group group, Kind kind, Entry.Group phase)
      throws BadInput {
    Entry own = phase.get("requests");
    if (own == null) {
      return null;
    }
    if (group.has("chain")) {
      throw own.error("must be left out: the chain of the clients says what they send");
    }
    if (kind == Kind.HALF_OPEN) {
      throw own.error("are for closed and open clients: a session may outlast a phase");
    }
    return Requests.mix(probabilities(own));
  }

  private static double level(Entry entry, String level, boolean zero) throws BadInput {
    return level.equals("users")
        ? entry.whole(zero ? 0 : 1, Integer.MAX_VALUE)
        : entry.perSecond(zero);
  }

  private static Requests requests(Entry.Group group) throws BadInput {
    Entry chain = group.get("chain");
    if (chain != null) {
      group.refuse("stand in the chain already", "requests");
      return chain(chain);
    }
    Entry entry = group.get("requests");
    return entry == null ? ONE_REQUEST : Requests.mix(probabilities(entry));
  }

  private static Requests chain(Entry entry) throws BadInput {
    Entry.Group group = entry.group("first", "next");
    Map<String, Map<String, Double>> next = new LinkedHashMap<>();
    for (Map.Entry<String, Entry> row : group.require("next").named("requests").entrySet()) {
      next.put(row.getKey(), probabilities(row.getValue()));
    }
    return Requests.chain(group.require("first").word("request", next.keySet()), next);
  }

  private static Map<String, Double> probabilities(Entry entry) throws BadInput {
    Map<String, Double> found = new LinkedHashMap<>();
    double sum = 0;
    for (Map.Entry<String, Entry> each : entry.named("requests").entrySet()) {
      double probability = Probabilities.read(each.getValue());
      found.put(each.getKey(), probability);
      sum += probability;
    }
    Probabilities.requireSum(entry, sum);
    return found;
  }

  private static Pattern pattern(@Nullable Entry entry) throws BadInput {
    if (entry == null) {
      return new Pattern.Poisson();
    }
    if (!entry.isMapping()) {
      return switch (entry.text()) {
        case "poisson" -> new Pattern.Poisson();
        case "constant" -> new Pattern.Constant();
        case "bursty" -> throw entry.error("need their figures: " + BURSTS);
        case "batches" -> throw entry.error("need their mean size: " + BATCHES);
        case BATCHES, BURSTS -> throw entry.error("must stand without quotation marks");
        default -> {
          entry.word("arrivals", List.of("poisson", "constant", BATCHES, BURSTS));
          throw new AssertionError("all that word knows was handled");
        }
      };
    }
    if (entry.named("settings").containsKey("batches_of")) {
      return new Pattern.Batches(
          entry
              .group("batches_of")
              .require("batches_of")
              .number(1, Entry.MOST, "a mean size within 1.." + Entry.MOST));
    }
    Entry.Group group = entry.group("peak", "burst", "quiet");
    try {
      return new Pattern.Bursty(
          group.require("peak").number(),
          group.require("burst").positiveSeconds(),
          group.require("quiet").positiveSeconds());
    } catch (IllegalArgumentException e) {
      throw entry.error(e);
    }
  }
}
