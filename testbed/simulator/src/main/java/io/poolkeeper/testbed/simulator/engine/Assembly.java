package io.poolkeeper.testbed.simulator.engine;

import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.random.Arrivals;
import io.poolkeeper.testbed.clients.random.PhaseChoices;
import io.poolkeeper.testbed.simulator.engine.event.Actor;
import io.poolkeeper.testbed.simulator.engine.event.Calendar;
import io.poolkeeper.testbed.simulator.engine.event.Events;
import io.poolkeeper.testbed.simulator.engine.event.Randoms;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import io.poolkeeper.testbed.simulator.engine.flow.ArrivingSource;
import io.poolkeeper.testbed.simulator.engine.flow.ClosedSource;
import io.poolkeeper.testbed.simulator.engine.flow.Compiler;
import io.poolkeeper.testbed.simulator.engine.flow.Flow;
import io.poolkeeper.testbed.simulator.engine.flow.Program;
import io.poolkeeper.testbed.simulator.engine.flow.Source;
import io.poolkeeper.testbed.simulator.engine.flow.Target;
import io.poolkeeper.testbed.simulator.engine.flow.Wiring;
import io.poolkeeper.testbed.simulator.engine.measure.RequestMeter;
import io.poolkeeper.testbed.simulator.engine.pool.PoolTotals;
import io.poolkeeper.testbed.simulator.engine.pool.Replica;
import io.poolkeeper.testbed.simulator.engine.pool.SimulatedPool;
import io.poolkeeper.testbed.simulator.engine.station.CpuBudget;
import io.poolkeeper.testbed.simulator.engine.station.FifoServer;
import io.poolkeeper.testbed.simulator.engine.station.Server;
import io.poolkeeper.testbed.simulator.engine.station.SharingServer;
import io.poolkeeper.testbed.simulator.model.CpuQuota;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Noise;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;

/** Makes the parts of a run out of a model: replicas with what they own, programs, sources. */
final class Assembly {

  private final Model model;
  private final Randoms randoms;
  private final Settings settings;
  private final Events events;
  private final Flow flow;
  private final Replica shared = new Replica();
  private final Map<String, Target.Replicas> replicas = new LinkedHashMap<>();
  private final Map<String, Target> targets = new HashMap<>();

  final List<Server> servers = new ArrayList<>();
  final Map<String, SimulatedPool> pools = new LinkedHashMap<>();
  final Map<String, List<SimulatedPool>> poolsByRole = new LinkedHashMap<>();
  final List<Source> sources = new ArrayList<>();
  final List<RequestMeter> meters = new ArrayList<>();
  final List<Actor> actors = new ArrayList<>();

  Assembly(Model model, Settings settings, Events events, Flow flow) {
    this.model = model;
    this.settings = settings;
    this.randoms = new Randoms(settings.seed());
    this.events = events;
    this.flow = flow;
  }

  void assemble() {
    model.stations().forEach((name, station) -> addServer(shared, name, name, station));
    model.pools().forEach((name, pool) -> addPool(shared, name, name, name, pool, false));
    for (Tier tier : model.tiers().values()) {
      addReplicas(tier);
    }
    addSources();
  }

  /** Each source has an equal part of the numbers that fit into an event. */
  int sourceShift() {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(model.clients().size() - 1);
    return Calendar.NUMBER_BITS - bits;
  }

  private void addReplicas(Tier tier) {
    Replica[] all = new Replica[tier.replicas()];
    for (int i = 0; i < all.length; i++) {
      String name = all.length == 1 ? tier.name() : tier.name() + "-" + (i + 1);
      Replica replica = new Replica();
      all[i] = replica;
      if (tier.workers().isPresent()) {
        replica.workers = addPool(replica, Tier.ANY, name, tier.name(), tier.workers().get(), true);
      }
      tier.stations().forEach((key, station) -> addServer(replica, key, name + "." + key, station));
      tier.pools()
          .forEach(
              (key, pool) ->
                  addPool(replica, key, name + "." + key, tier.name() + "." + key, pool, false));
    }
    replicas.put(
        tier.name(),
        new Target.Replicas(all, tier.balancer(), randoms.stream(tier.name() + " balancer")));
  }

  private SimulatedPool addPool(
      Replica replica, String key, String name, String role, Pool pool, boolean workers) {
    SimulatedPool made =
        new SimulatedPool(
            name,
            pool,
            replica,
            workers,
            events,
            flow.tasks,
            new PoolTotals(settings.digits(), settings.statistics()));
    if (pools.put(name, made) != null) {
      throw new IllegalArgumentException("names of pools must differ, but '" + name + "' is twice");
    }
    poolsByRole.computeIfAbsent(role, any -> new ArrayList<>()).add(made);
    replica.pools.put(key, made);
    return made;
  }

  private void addServer(Replica replica, String key, String name, Station station) {
    Server server;
    if (station instanceof Station.Cpu cpu) {
      replica.cores = Math.max(replica.cores, cpu.cores());
      if (!cpu.shared() && cpu.overhead() == 0 && cpu.noise().isEmpty() && !cpu.limited()) {
        server = new FifoServer(name, cpu.cores(), events, flow.tasks);
      } else {
        SharingServer sharing =
            new SharingServer(
                name,
                servers.size(),
                cpu.cores(),
                cpu.shared() ? Integer.MAX_VALUE : cpu.cores(),
                cpuRate(cpu, replica),
                1,
                events,
                flow.tasks);
        if (cpu.overhead() > 0 && replica.workers != null) {
          replica.slowed = sharing;
          replica.overhead = cpu.overhead();
        }
        if (cpu.limited()) {
          sharing.limit(budget(cpu.quota().orElseThrow(), name));
        }
        disturb(sharing, replica, cpu.noise());
        server = sharing;
      }
    } else {
      Station.Curve curve = (Station.Curve) station;
      SharingServer sharing =
          new SharingServer(
              name,
              servers.size(),
              0,
              Integer.MAX_VALUE,
              curve.rates().get(0).rate(),
              curve.cpuPerTask(),
              events,
              flow.tasks);
      changeRates(sharing, curve);
      disturb(sharing, replica, curve.noise());
      server = sharing;
    }
    servers.add(server);
    replica.servers.put(key, server);
  }

  private CpuBudget budget(CpuQuota quota, String name) {
    double offset =
        quota.offset().isPresent()
            ? quota.offset().getAsDouble()
            : quota.period() * randoms.stream(name + " quota").nextDouble();
    long period = Time.nanos(quota.period());
    return new CpuBudget(
        quota.cores(), period, Time.nanos(quota.burst()), Time.nanos(offset) % period);
  }

  /**
   * Returns the rate of the cores by the number of tasks at them. Where no pool says how many
   * threads there are, these tasks do.
   */
  private static IntToDoubleFunction cpuRate(Station.Cpu cpu, Replica replica) {
    boolean byTasks = cpu.overhead() > 0 && replica.workers == null;
    double overhead = byTasks ? cpu.overhead() : 0;
    return k -> Math.min(k, cpu.cores()) / (1 + overhead * Math.max(0, k - cpu.cores()));
  }

  private void changeRates(SharingServer server, Station.Curve curve) {
    for (Station.Change change : curve.rates().subList(1, curve.rates().size())) {
      long at = Time.nanos(change.at());
      actors.add(
          now -> {
            if (now < at) {
              return at;
            }
            server.rate(change.rate(), change.cpuPerTask(), now);
            return Time.NEVER;
          });
    }
  }

  private void disturb(SharingServer server, Replica replica, List<Noise> noises) {
    List<Disturbance> all = new ArrayList<>();
    for (int i = 0; i < noises.size(); i++) {
      all.add(
          Disturbance.of(
              noises.get(i), server, replica, all, randoms, server.name + " noise " + i));
    }
    actors.addAll(all);
  }

  private void addSources() {
    int shift = sourceShift();
    for (Clients clients : model.clients().values()) {
      List<String> names = List.copyOf(clients.names());
      List<Target> entries = new ArrayList<>();
      List<RequestMeter> own = new ArrayList<>();
      for (String name : names) {
        entries.add(target(model.entry(clients), name));
        own.add(new RequestMeter(clients.name(), name, settings));
      }
      meters.addAll(own);
      double staying = clients instanceof Clients.Arriving arriving ? arriving.staying() : 1;
      Wiring wiring =
          new Wiring(
              sources.size(),
              sources.size() << shift,
              flow,
              entries,
              own,
              new PhaseChoices(clients, names, staying),
              randoms.stream(clients.name() + " requests"),
              randoms.sampler(clients.thinkTime(), clients.name() + " think time"));
      Source source = source(clients, wiring, 1 << shift);
      sources.add(source);
      flow.add(source);
    }
  }

  private Source source(Clients clients, Wiring wiring, int room) {
    if (clients instanceof Clients.Closed closed) {
      Capacity.requireUsers(closed, room);
      return new ClosedSource(closed, wiring);
    }
    Clients.Arriving arriving = (Clients.Arriving) clients;
    Arrivals arrivals = new Arrivals(arriving, randoms.stream(clients.name() + " arrivals"));
    return new ArrivingSource(arrivals, wiring);
  }

  /** The programs of all replicas of a tier for a request, made when they are first needed. */
  private Target target(Tier tier, String request) {
    String key = tier.name() + "/" + request;
    Target existing = targets.get(key);
    if (existing != null) {
      return existing;
    }
    List<Step> steps = tier.program(request).orElseThrow();
    Target.Replicas group = Objects.requireNonNull(replicas.get(tier.name()));
    Program[] programs = new Program[group.all().length];
    for (int i = 0; i < programs.length; i++) {
      Replica replica = group.all()[i];
      programs[i] = flow.program(replica.workers, replica);
      programs[i].ops = compiler(replica, request, key + " " + i).compile(steps, tier.linger());
    }
    Target made = new Target(group, programs);
    targets.put(key, made);
    return made;
  }

  private Compiler compiler(Replica replica, String request, String use) {
    return new Compiler(
        replica,
        shared,
        tier -> target(Objects.requireNonNull(model.tiers().get(tier)), request),
        flow,
        randoms,
        use);
  }
}
