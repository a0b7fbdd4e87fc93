package io.poolkeeper.testbed.tunnel.flight;

import io.poolkeeper.Bounds;
import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.simulator.Result;
import io.poolkeeper.testbed.simulator.Simulation;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Station;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.TaskClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes runs on the discrete-event simulator: one tier whose workers all use one station, the
 * plant.
 */
public final class SimulatedFlight implements Flight {

  private static final String POOL = "pool";
  private static final String PLANT = Step.CPU;

  /** Windows show percentiles with two digits anyway, and runs are short. */
  private static final int DIGITS = 2;

  /** Windows through which the work of a pool is seen whose policy needs none. */
  private static final Duration OBSERVED = Duration.ofSeconds(1);

  @Override
  public Trace fly(Course course, Noise noise, long seed, Pilot pilot) {
    Bounds bounds = new Bounds(1, course.largest());
    FlightRecorder recorder = new FlightRecorder(course, bounds);
    Simulation simulation =
        Simulation.of(model(course, noise, bounds, bounds.clamp(firstSize(pilot))))
            .seed(seed)
            .digits(DIGITS);
    if (pilot instanceof Pilot.ByWindows windows) {
      recorder.sizesFromWindows();
      simulation.control(
          POOL,
          loop ->
              loop.controller(windows.controller()).window(windows.window()).listener(recorder));
    } else {
      EventPolicy policy = ((Pilot.ByEvents) pilot).policy();
      simulation
          .policy(POOL, () -> recorder.hearing(policy))
          .observe(POOL, loop -> loop.window(OBSERVED).listener(recorder));
    }
    Result result = simulation.run(course.seconds());
    return recorder.trace(result.request());
  }

  private static int firstSize(Pilot pilot) {
    return pilot instanceof Pilot.ByWindows windows
        ? windows.initialSize()
        : ((Pilot.ByEvents) pilot).policy().initialSize();
  }

  private static Model model(Course course, Noise noise, Bounds bounds, int size) {
    Tier tier =
        Tier.named(POOL)
            .workers(new Pool(size, bounds, Pool.UNBOUNDED))
            .cpu(station(course, noise))
            .serve(work(course.stages().get(0).plant().tasks()))
            .build();
    return Model.of(tier, clients(course));
  }

  /** The plant: its curve and the CPU time of its tasks change with the stages. */
  private static Station station(Course course, Noise noise) {
    Plant first = course.stages().get(0).plant();
    Station.Curve station = Station.curve(first.curve()::at).cpuPerTask(first.cpuSeconds());
    for (int stage = 1; stage < course.stages().size(); stage++) {
      Plant next = course.stages().get(stage).plant();
      station = station.then(course.start(stage), next.curve()::at, next.cpuSeconds());
    }
    for (io.poolkeeper.testbed.simulator.model.Noise part : noise.parts()) {
      station = station.with(part);
    }
    return station;
  }

  private static Step work(List<TaskClass> tasks) {
    return Step.choose(
        tasks.stream()
            .map(
                task ->
                    Step.with(task.share(), Step.use(PLANT, Distribution.exponential(task.work()))))
            .toArray(Step.Case[]::new));
  }

  private static Clients clients(Course course) {
    List<Phase> phases = new ArrayList<>();
    for (Stage stage : course.stages()) {
      phases.add(
          new Phase(
              stage.seconds(),
              stage.demand() instanceof Demand.Closed closed
                  ? closed.users()
                  : ((Demand.Open) stage.demand()).perSecond()));
    }
    Demand demand = course.stages().get(0).demand();
    if (demand instanceof Demand.Closed closed) {
      Clients.Closed users = Clients.closed(phases);
      return closed.thinkSeconds() == 0
          ? users
          : users.thinking(Distribution.exponential(closed.thinkSeconds()));
    }
    Demand.Open open = (Demand.Open) demand;
    Clients.Arriving arrivals = Clients.open(phases);
    return open.burst() == 0
        ? arrivals
        : arrivals.arriving(
            new Pattern.Bursty(
                1 + open.burst(), Demand.Open.BURST_SECONDS, Demand.Open.BURST_SECONDS));
  }
}
