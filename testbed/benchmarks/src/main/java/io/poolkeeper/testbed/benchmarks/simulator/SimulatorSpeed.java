package io.poolkeeper.testbed.benchmarks.simulator;

import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Speed of the simulator, in turns with others on the same closed machine. Its users think for 7 s
 * in the mean, and its four servers are busy for 80 % of the time. So almost every user is an event
 * that is pending.
 */
@Command(
    name = "simulator-speed",
    description = "Events a second of the simulator, against SSJ and SimPy.")
final class SimulatorSpeed extends Benchmark {

  private static final int SERVERS = 4;
  private static final double THINK = 7;
  private static final double UTILISATION = 0.8;
  private static final double PUBLISHED_SERVICE = 0.025;
  private static final int USERS = 1000;
  private static final int[] SWEEP = {1000, 10_000, 100_000, 300_000};
  private static final double WARM_UP = 30;

  private static final double EVENTS_TARGET = 5e6;
  private static final double SIMPY_TARGET = 20;
  private static final double PUBLISHED_TARGET = 1000;

  @Option(names = "--quick", description = "fewer and shorter turns, for a first impression")
  private boolean quick;

  @Option(names = "--no-simpy", description = "without SimPy, which needs Python")
  private boolean noSimpy;

  public static void main(String[] arguments) {
    start(new SimulatorSpeed(), arguments);
  }

  @Override
  protected int measure() throws IOException, InterruptedException {
    for (int i = 0; i < 3; i++) { // Until both are compiled.
      own(USERS, 2e6);
      ssj(USERS, 1e6);
      new OwnMachine(USERS, SERVERS, 0, PUBLISHED_SERVICE).run(5000);
    }
    compare();
    sweep();
    memory();
    return 0;
  }

  private int rounds() {
    return quick ? 3 : 7;
  }

  private void compare() throws IOException, InterruptedException {
    List<Double> events = new ArrayList<>();
    List<Double> overSsj = new ArrayList<>();
    List<Double> overSimpy = new ArrayList<>();
    List<Double> overPublished = new ArrayList<>();
    System.out.printf(Locale.ROOT, "%n%d users, think time %.0f s, a second:%n", USERS, THINK);
    for (int round = 0; round < rounds(); round++) {
      OwnMachine.Pace own = own(USERS, quick ? 3e6 : 10e6);
      double ssj = ssj(USERS, quick ? 1e6 : 3e6);
      events.add(own.eventsPerSecond());
      overSsj.add(own.eventsPerSecond() / ssj);
      say("  ours %s events, SSJ %s events", own.eventsPerSecond(), ssj);
      if (!noSimpy) {
        double seconds = quick ? 2 : 4;
        double simpy =
            SimpyMachine.run("idiomatic", USERS, SERVERS, THINK, service(USERS), seconds, round + 1)
                .completionsPerSecond();
        double saturated =
            new OwnMachine(USERS, SERVERS, 0, PUBLISHED_SERVICE)
                .run(quick ? 10_000 : 30_000)
                .completionsPerSecond();
        double published =
            SimpyMachine.run("published", USERS, SERVERS, 0, PUBLISHED_SERVICE, seconds, round + 1)
                .completionsPerSecond();
        overSimpy.add(own.completionsPerSecond() / simpy);
        overPublished.add(saturated / published);
        say(
            "    completions: ours %s, idiomatic SimPy %s; without think time: ours %s,"
                + " the published program %s",
            own.completionsPerSecond(), simpy, saturated, published);
      }
    }
    Spread million = Spread.of(events.stream().map(value -> value / 1e6).toList());
    System.out.printf(
        "events, millions a second: %s; %s%n", million, million.atLeast(EVENTS_TARGET / 1e6));
    System.out.printf("times SSJ: %s%n", Spread.of(overSsj));
    if (!noSimpy) {
      Spread simpy = Spread.of(overSimpy);
      System.out.printf("times idiomatic SimPy: %s; %s%n", simpy, simpy.atLeast(SIMPY_TARGET));
      Spread published = Spread.of(overPublished);
      System.out.printf(
          "times the published program: %s; %s%n", published, published.atLeast(PUBLISHED_TARGET));
    }
  }

  /** The cost of an event by the number of those pending; a binary logarithm, no more. */
  private void sweep() {
    System.out.printf("%nnanoseconds an event by pending events, ours and SSJ:%n");
    for (int users : SWEEP) {
      List<Double> own = new ArrayList<>();
      List<Double> ssj = new ArrayList<>();
      for (int round = 0; round < (quick ? 2 : 5); round++) {
        own.add(1e9 / own(users, quick ? 3e6 : 10e6).eventsPerSecond());
        ssj.add(1e9 / ssj(users, quick ? 3e5 : 1e6));
      }
      Spread ours = Spread.of(own);
      System.out.printf(
          Locale.ROOT,
          "  %7d pending: %s; by the logarithm %.2f; SSJ %s%n",
          users,
          ours,
          ours.median() / (Math.log(users) / Math.log(2)),
          Spread.of(ssj));
    }
  }

  private void memory() {
    long few = new OwnMachine(USERS, SERVERS, THINK, service(USERS)).heap();
    int users = SWEEP[SWEEP.length - 1];
    long many = new OwnMachine(users, SERVERS, THINK, service(users)).heap();
    System.out.printf(
        Locale.ROOT,
        "%nmemory: %.0f bytes a user, %.1f MB for %d users%n",
        (double) (many - few) / (users - USERS),
        many / 1e6,
        users);
  }

  /** Mean service time with which the servers are busy as much as they are to be. */
  private static double service(int users) {
    return SERVERS * UTILISATION * THINK / users;
  }

  private static OwnMachine.Pace own(int users, double events) {
    return new OwnMachine(users, SERVERS, THINK, service(users)).run(seconds(users, events));
  }

  private static double ssj(int users, double events) {
    SsjMachine machine = new SsjMachine(users, SERVERS, THINK, service(users));
    machine.run(WARM_UP);
    long before = machine.events();
    long began = System.nanoTime();
    machine.run(seconds(users, events));
    return (machine.events() - before) / ((System.nanoTime() - began) / 1e9);
  }

  /** Virtual seconds in which about so many events happen: two a request. */
  private static double seconds(int users, double events) {
    return events / (2 * users / THINK);
  }

  private static void say(String format, Object... values) {
    Object[] texts = new Object[values.length];
    for (int i = 0; i < values.length; i++) {
      texts[i] = String.format(Locale.ROOT, "%,.0f", (Double) values[i]);
    }
    System.out.printf(format + "%n", texts);
  }
}
