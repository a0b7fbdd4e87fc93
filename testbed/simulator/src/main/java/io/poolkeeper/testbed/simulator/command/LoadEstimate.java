package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.clients.file.ClientDescription;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.simulator.engine.Capacity;
import io.poolkeeper.testbed.simulator.file.ModelFile;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Estimate, before a model runs, of the users and requests that it will hold at most. It counts all
 * closed users. Of arrivals it counts what piles up where they come faster than the tiers can
 * serve, or what is under way at once: the rate times the time that one takes alone (Little's law).
 *
 * <p>What tiers can serve is bounded from above: by the station with the smallest ratio of capacity
 * to demand (the operational bound of Denning and Buzen 1978), and by workers that are held at
 * least as long as their work takes alone. What a bounded queue refuses does not stay.
 */
final class LoadEstimate {

  /** Tasks at a station for which its curve is looked at. */
  private static final int MOST_AT_A_STATION = 1000;

  private static final double GIGA = 1 << 30;

  private final ModelFile file;
  private final Model model;

  /** Seconds of work, or tasks, that one request brings to each station, and to workers. */
  private final Map<String, Double> demands = new HashMap<>();

  private final Map<String, Double> capacities = new HashMap<>();

  LoadEstimate(ModelFile file) {
    this.file = file;
    model = file.model();
  }

  /**
   * Refuses what the memory will not hold.
   *
   * @param parallel runs at the same time
   * @throws BadInput with the estimate
   */
  void check(int parallel) throws BadInput {
    double most = most();
    double needed = most * Capacity.BYTES_EACH * parallel;
    double there = Capacity.PART * Runtime.getRuntime().maxMemory();
    if (needed > there) {
      throw file.tooMuch(
          String.format(
              Locale.ROOT,
              "%,.0f users and waiting requests at the worst moment would need about %.1f GB"
                  + " (%d bytes each, %d runs at a time), but there are %.1f GB; %s",
              most,
              needed / GIGA,
              Capacity.BYTES_EACH,
              parallel,
              there / GIGA,
              advice(parallel)));
    }
  }

  private String advice(int parallel) {
    boolean closed =
        file.clients().stream().anyMatch(each -> each.clients() instanceof Clients.Closed);
    return "fewer users, a smaller rate, shorter times of work (wait) or a shorter run"
            .substring(closed ? 0 : "fewer users, ".length())
        + (parallel > 1 ? ", or --jobs 1, need less" : " need less");
  }

  /**
   * Returns what is no mistake, but must be known beside the figures: arrivals that nothing can
   * serve.
   */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    new HoldOrder(model).warning().ifPresent(warnings::add);
    for (ClientDescription played : file.clients()) {
      if (played.clients() instanceof Clients.Arriving arriving
          && arriving.phases().size() == 1
          && !arriving.phases().get(0).isRamp()
          && backlog(arriving) > 0) {
        warnings.add(
            String.format(
                Locale.ROOT,
                "%s: at most %.6g of %.6g requests a second can be served, so queues, and times,"
                    + " grow as long as the run lasts",
                arriving.name(),
                bound(model.entry(arriving), arriving.requests(arriving.phases().get(0))),
                arriving.phases().get(0).from() / (1 - arriving.staying())));
      }
    }
    return warnings;
  }

  /** Closed users and piled up requests, at the worst moment. */
  double most() {
    double most = 0;
    for (ClientDescription played : file.clients()) {
      most +=
          played.clients() instanceof Clients.Arriving arriving
              ? inside(arriving)
              : played.phases().stream().mapToDouble(Phase::most).max().orElse(0);
    }
    return most;
  }

  /** Requests, or sessions, that are there at once at the worst moment. */
  private double inside(Clients.Arriving arriving) {
    double most = Math.max(backlog(arriving), underWay(arriving));
    Tier entry = model.entry(arriving);
    boolean thinking = arriving.thinkTime().mean() > 0;
    return thinking || entry.workers().isEmpty()
        ? most
        : Math.min(most, room(entry, entry.workers().get()));
  }

  /** Requests that find a place at the workers of a tier or in their queue. */
  private double room(Tier tier, Pool workers) {
    double queue =
        workers.queueCapacity() == Pool.UNBOUNDED
            ? Double.POSITIVE_INFINITY
            : workers.queueCapacity();
    return tier.replicas() * (size(tier, workers) + queue);
  }

  /** The arrivals of the time that one stays if nothing is in its way, by Little's law. */
  private double underWay(Clients.Arriving arriving) {
    double most = 0;
    double start = 0;
    for (Phase last : arriving.phases()) {
      double stay = stay(arriving, arriving.requests(last));
      double end = Math.min(file.run().seconds(), start + last.seconds());
      // Most are there at the end, or where a ramp leads down, early in it.
      most = Math.max(most, arrivals(arriving, end - stay, end));
      most = Math.max(most, arrivals(arriving, start, Math.min(end, start + stay)));
      start = end;
    }
    return most;
  }

  /** Seconds that a client of these requests stays if nothing is in its way. */
  private double stay(Clients.Arriving arriving, Requests requests) {
    demands.clear();
    capacities.clear();
    // How long a chain goes on would have to be solved for: its first request is the least.
    Map<String, Double> shares =
        requests instanceof Requests.Chain chain ? Map.of(chain.first(), 1.0) : shares(requests);
    Tier entry = model.entry(arriving);
    double alone =
        shares.entrySet().stream()
            .mapToDouble(each -> each.getValue() * visit(entry, each.getKey(), each.getValue()))
            .sum();
    double more = arriving.staying() / (1 - arriving.staying());
    return alone * (1 + more) + arriving.thinkTime().mean() * more;
  }

  /** Expected arrivals between two times, in seconds since the run began. */
  private static double arrivals(Clients.Arriving arriving, double start, double end) {
    double arrivals = 0;
    double from = 0;
    for (Phase phase : arriving.phases()) {
      double first = Math.max(from, start);
      double last = Math.min(from + phase.seconds(), end);
      if (first < last) {
        arrivals += phase.sum(last - from) - phase.sum(first - from);
      }
      from += phase.seconds();
    }
    return arrivals;
  }

  private double size(Tier tier, Pool workers) {
    return file.governors().containsKey(tier.name()) ? workers.bounds().maximum() : workers.size();
  }

  private double backlog(Clients.Arriving arriving) {
    Tier entry = model.entry(arriving);
    Optional<Pool> workers = entry.workers();
    if (workers.isPresent() && workers.get().queueCapacity() != Pool.UNBOUNDED) {
      return 0;
    }
    double requests = 1 / (1 - arriving.staying());
    double backlog = 0;
    double most = 0;
    double time = 0;
    for (Phase phase : arriving.phases()) {
      double served = bound(entry, arriving.requests(phase));
      double length = Math.min(phase.seconds(), file.run().seconds() - time);
      for (Phase part : parts(phase.between(0, length), served / requests)) {
        double more = part.sum(part.seconds()) * requests - served * part.seconds();
        backlog = Math.max(0, backlog + more);
        most = Math.max(most, backlog);
      }
      time += phase.seconds();
    }
    return most;
  }

  /** A ramp cut where it passes {@code rate}, so that each part is above it or below. */
  private static List<Phase> parts(Phase phase, double rate) {
    double time = (rate - phase.from()) / (phase.to() - phase.from()) * phase.seconds();
    return 0 < time && time < phase.seconds()
        ? List.of(phase.between(0, time), phase.between(time, phase.seconds()))
        : List.of(phase);
  }

  /** Requests a second that the tiers cannot exceed. */
  private double bound(Tier entry, Requests requests) {
    demands.clear();
    capacities.clear();
    shares(requests).forEach((request, share) -> visit(entry, request, share));
    return demands.entrySet().stream()
        .filter(each -> each.getValue() > 0)
        .mapToDouble(each -> capacities.getOrDefault(each.getKey(), 0.0) / each.getValue())
        .min()
        .orElse(Double.POSITIVE_INFINITY);
  }

  /** Shares of the requests; of a chain, whose shares would have to be solved for, none. */
  private static Map<String, Double> shares(Requests requests) {
    return requests instanceof Requests.Mix mix ? mix.probabilities() : Map.of();
  }

  /**
   * Adds what {@code visits} requests demand of a tier and of those behind it.
   *
   * @return seconds that each of them takes alone
   */
  private double visit(Tier tier, String request, double visits) {
    double alone = steps(tier, request, tier.program(request).orElse(List.of()), visits);
    tier.workers()
        .ifPresent(
            workers ->
                demand(
                    "workers of " + tier.name(),
                    visits * alone,
                    tier.replicas() * size(tier, workers)));
    return alone;
  }

  private double steps(Tier tier, String request, List<Step> steps, double visits) {
    double alone = 0;
    for (Step step : steps) {
      alone += step(tier, request, step, visits);
    }
    return alone;
  }

  private double step(Tier tier, String request, Step step, double visits) {
    if (step instanceof Step.Use use) {
      return use(tier, use, visits);
    } else if (step instanceof Step.Sleep sleep) {
      return sleep.time().mean();
    } else if (step instanceof Step.Call call) {
      Tier called = model.tiers().get(call.tier());
      return called == null ? 0 : visit(called, request, visits);
    } else if (step instanceof Step.Repeat repeat) {
      return repeat.times() * step(tier, request, repeat.step(), visits * repeat.times());
    } else if (step instanceof Step.Hold hold) {
      return steps(tier, request, hold.steps(), visits);
    } else if (step instanceof Step.Choose choose) {
      return choose.cases().stream()
          .mapToDouble(
              each ->
                  each.probability()
                      * steps(tier, request, each.steps(), visits * each.probability()))
          .sum();
    }
    return 0;
  }

  private double use(Tier tier, Step.Use use, double visits) {
    double work = use.work().mean();
    Station own = tier.stations().get(use.station());
    Station station = own == null ? model.stations().get(use.station()) : own;
    String name = own == null ? use.station() : tier.name() + "." + use.station();
    int replicas = own == null ? 1 : tier.replicas();
    if (station instanceof Station.Cpu cpu) {
      demand(name, visits * work, replicas * cpu.capacity());
      return work;
    } else if (station instanceof Station.Curve curve) {
      double best =
          curve.rates().stream()
              .flatMapToDouble(
                  change -> IntStream.rangeClosed(1, MOST_AT_A_STATION).mapToDouble(change.rate()))
              .max()
              .orElse(0);
      demand(name, visits * work, replicas * best);
      return best > 0 ? work / best : 0;
    }
    return 0;
  }

  private void demand(String name, double more, double capacity) {
    demands.merge(name, more, Double::sum);
    capacities.put(name, capacity);
  }
}
