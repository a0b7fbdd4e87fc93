package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.constant;
import static io.poolkeeper.testbed.clients.Distribution.exponential;
import static io.poolkeeper.testbed.simulator.Golden.assertEstimates;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.Window;
import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Distribution;
import io.poolkeeper.testbed.clients.Pattern;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Users and arrivals over time. */
final class LoadsTest {

  private static final Pool ENDLESS = Pool.of(1_000_000);

  private static Windows windows(Clients clients, Pool pool, Distribution time, int seconds) {
    Tier tier = Tier.named("web").workers(pool).serve(Step.sleep(time)).build();
    Windows windows = new Windows();
    Simulation.of(Model.of(tier, clients))
        .observe("web", loop -> loop.window(ofSeconds(1)).listener(windows))
        .run(seconds);
    return windows;
  }

  /** Variance over mean of the arrivals a second; 1 for a Poisson process. */
  private static double dispersion(Windows windows) {
    double mean = windows.all.stream().mapToLong(Window::arrivals).average().orElseThrow();
    double variance =
        windows.all.stream()
            .mapToDouble(window -> Math.pow(window.arrivals() - mean, 2))
            .average()
            .orElseThrow();
    return variance / mean;
  }

  private static double rate(Windows windows) {
    return windows.all.stream().mapToLong(Window::arrivals).sum() / (double) windows.all.size();
  }

  @Test
  void poissonArrivals() {
    Windows windows = windows(Clients.open(50), ENDLESS, constant(0), 20_000);
    assertThat(rate(windows)).isCloseTo(50, offset(0.2));
    assertThat(dispersion(windows)).isCloseTo(1, offset(0.04));
  }

  /** A closed user whose requests take 10 ms in the first phase, and 100 ms in the second. */
  @Test
  void phasesWithRequestsOfTheirOwn() {
    List<Phase> phases =
        List.of(
            new Phase(100, 1).sending(Requests.of("short")),
            new Phase(100, 1).sending(Requests.of("long")));
    Tier tier =
        Tier.named("web")
            .workers(ENDLESS)
            .serve("short", List.of(Step.sleep(constant(0.01))))
            .serve("long", List.of(Step.sleep(constant(0.1))))
            .build();
    Windows windows = new Windows();
    Simulation.of(Model.of(tier, Clients.closed(phases)))
        .observe("web", loop -> loop.window(ofSeconds(1)).listener(windows))
        .run(200);
    assertThat(windows.all.subList(1, 99)).allMatch(window -> window.completions() == 100);
    assertThat(windows.all.subList(101, 199)).allMatch(window -> window.completions() == 10);
  }

  /** Batches of 5 in the mean, geometric: the dispersion is E[size^2] / E[size] = 2 * 5 - 1. */
  @Test
  void batches() {
    Clients clients = Clients.open(50).arriving(new Pattern.Batches(5));
    Windows windows = windows(clients, ENDLESS, constant(0), 20_000);
    assertThat(rate(windows)).isCloseTo(50, offset(0.5));
    assertThat(dispersion(windows)).isCloseTo(9, offset(0.5));
  }

  /**
   * A Markov-modulated Poisson process of two states, whose dispersion over a time t is known in
   * closed form (Fischer and Meier-Hellstern 1993): here rates 150 and 50/3, changes 1 and 1/3 a
   * second, so 1 + 2 * 25 * (1 - (1 - exp(-4/3)) / (4/3)) for one second.
   */
  @Test
  void bursts() {
    Clients clients = Clients.open(50).arriving(new Pattern.Bursty(3, 1, 3));
    Windows windows = windows(clients, ENDLESS, constant(0), 40_000);
    double low = 50.0 / 3;
    double changes = 1 + 1.0 / 3;
    double spread = Math.pow(150 - low, 2) * (1.0 / 3) / (changes * changes) / (changes * 50) * 2;
    double exact = 1 + spread * (1 - (1 - Math.exp(-changes)) / changes);
    assertThat(rate(windows)).isCloseTo(50, offset(1.5));
    assertThat(dispersion(windows)).isCloseTo(exact, offset(0.05 * exact));
  }

  @Test
  void phasesOfArrivals() {
    Clients clients =
        Clients.open(List.of(new Phase(2, 10), new Phase(1, 0), new Phase(2, 4)))
            .arriving(new Pattern.Constant());
    Windows windows = windows(clients, ENDLESS, constant(0), 7);
    // An arrival on the edge of two windows belongs to the later one.
    assertThat(windows.all).extracting(Window::arrivals).startsWith(10L, 10L, 0L, 4L, 4L, 0L, 0L);
  }

  /** Users leave at once, finish what they have sent, and come back. */
  @Test
  void phasesOfUsers() {
    Clients clients = Clients.closed(List.of(new Phase(3, 4), new Phase(2, 1), new Phase(3, 6)));
    Windows windows = windows(clients, ENDLESS, constant(0.3), 10);
    assertThat(windows.all.get(1).busy()).isCloseTo(4, offset(1e-9));
    // Three answers to users who have gone come until 3.3 s.
    assertThat(windows.all.get(3).busy()).isCloseTo(1 + 3 * 0.3, offset(1e-6));
    assertThat(windows.all.get(4).busy()).isCloseTo(1, offset(1e-9));
    assertThat(windows.all.get(6).busy()).isCloseTo(6, offset(1e-9));
    assertThat(windows.all.get(9).arrivals()).isZero();
  }

  /** The users of each second of a ramp are its line's, and so are the arrivals. */
  @Test
  void ramps() {
    Clients users = Clients.closed(List.of(new Phase(4, 2, 10), new Phase(2, 10, 0)));
    // Five leave in each of the last two seconds, and finish what they have just sent: 1 ms each.
    assertThat(windows(users, ENDLESS, constant(0.001), 7).all)
        .extracting(window -> Math.round(window.busy() * 1e3))
        .startsWith(3000L, 5000L, 7000L, 9000L, 7505L, 2505L, 0L);

    Clients arrivals =
        Clients.open(List.of(new Phase(4, 0, 40), new Phase(1, 40)))
            .arriving(new Pattern.Constant());
    // After t seconds 5 t^2 have come, and one at the beginning.
    assertThat(windows(arrivals, ENDLESS, constant(0), 6).all)
        .extracting(Window::arrivals)
        .startsWith(5L, 15L, 25L, 35L, 40L, 0L);
  }

  /** A thinking user who leaves sends nothing, and when it comes again it sends at once. */
  @Test
  void thinkingUsersLeaveAtOnce() {
    Clients clients =
        Clients.closed(List.of(new Phase(1.5, 10), new Phase(4, 0), new Phase(2, 10)))
            .thinking(constant(2));
    Windows windows = windows(clients, ENDLESS, constant(0), 9);
    assertThat(windows.all)
        .extracting(Window::arrivals)
        .startsWith(10L, 0L, 0L, 0L, 0L, 10L, 0L, 0L, 0L);
  }

  /** Visits of an absorbing chain: a is sent 1/(1 - 0.5 * 0.4) = 1.25 times, b 0.625 times. */
  @Test
  void sessionsFollowTheirChain() {
    Requests chain =
        Requests.chain(
            "a",
            Map.of(
                "a", Map.of("b", 0.5, Requests.END, 0.5),
                "b", Map.of("a", 0.4, Requests.END, 0.6)));
    Tier tier = Tier.named("web").serve(Step.sleep(exponential(0.010))).build();
    Clients sessions = Clients.open(20).sending(chain).thinking(exponential(1));
    Result open = Simulation.of(Model.of(tier, sessions)).warmup(20).run(10_000);
    assertEstimates("a", open.request("a").throughput(), 20 * 1.25, 0.005);
    assertEstimates("b", open.request("b").throughput(), 20 * 0.625, 0.005);

    Clients users = Clients.closed(50).sending(chain).thinking(exponential(1));
    Result closed = Simulation.of(Model.of(tier, users)).warmup(20).run(10_000);
    assertEstimates("a", closed.request("a").throughput(), 50 / 1.01 * 2 / 3, 0.005);
    assertEstimates("b", closed.request("b").throughput(), 50 / 1.01 / 3, 0.005);
  }

  /**
   * Visits of a session with a history. An episode of a request is all that follows until its
   * client goes back from it. With the visits {@code V} and the probability {@code R} that it ends
   * so, those of c are V(c) = c and R(c) = 1/2, of b, to which c returns each second time, V(b) =
   * (b + V(c)) / (1 - R(c)) = 2b + 2c and R(b) = 0, and of a V(a) = (a + V(b) / 2 + V(c) / 2) / (1
   * - R(c) / 2) = 4/3 a + 4/3 b + 2c. If c led back to a and b by chance, it would be less of b.
   */
  @Test
  void usersGoBackOnTheWayThatTheyCame() {
    Requests chain =
        Requests.chain(
            "a",
            Map.of(
                "a", Map.of("b", 0.5, "c", 0.5),
                "b", Map.of("c", 1.0),
                "c", Map.of(Requests.BACK, 0.5, Requests.END, 0.5)));
    Tier tier = Tier.named("web").serve(Step.sleep(exponential(0.010))).build();
    Clients users = Clients.closed(50).sending(chain).thinking(exponential(1));
    Result closed = Simulation.of(Model.of(tier, users)).warmup(20).run(10_000);
    double rate = 50 / 1.01;
    assertEstimates("a", closed.request("a").throughput(), rate * 2 / 7, 0.005);
    assertEstimates("b", closed.request("b").throughput(), rate * 2 / 7, 0.005);
    assertEstimates("c", closed.request("c").throughput(), rate * 3 / 7, 0.005);
  }

  @Test
  void mixOfRequestsWithStepsOfTheirOwn() {
    Tier tier =
        Tier.named("web")
            .serve("read", List.of(Step.sleep(constant(0.010))))
            .serve("write", List.of(Step.sleep(constant(0.100))))
            .build();
    Clients clients = Clients.open(100).sending(Requests.mix(Map.of("read", 0.9, "write", 0.1)));
    Result result = Simulation.of(Model.of(tier, clients)).warmup(1).run(2_000);
    assertEstimates("reads", result.request("read").throughput(), 90, 0.01);
    assertEstimates("writes", result.request("write").throughput(), 10, 0.02);
    assertThat(result.request("read").responseTime().p99().value()).isCloseTo(0.010, offset(1e-5));
    assertThat(result.request("write").responseTime().mean().value())
        .isCloseTo(0.100, offset(1e-9));
  }

  /** One place: of two users one is always refused, and tries again after the pause. */
  @Test
  void refusedUserTriesAgainAfterAPause() {
    Clients clients = Clients.closed(2).retrying(0.5);
    Windows windows = windows(clients, Pool.of(1).queue(0), constant(1000), 10);
    assertThat(windows.all.get(5).rejections()).isEqualTo(2);
  }

  @Test
  void hundredsOfThousandsOfUsers() {
    Tier tier = Tier.named("web").serve(Step.sleep(exponential(0.02))).build();
    Clients clients = Clients.closed(300_000).thinking(exponential(60));
    Result result = Simulation.of(Model.of(tier, clients)).warmup(1).run(60);
    assertEstimates("throughput", result.request().throughput(), 300_000 / 60.02, 0.002);
  }
}
