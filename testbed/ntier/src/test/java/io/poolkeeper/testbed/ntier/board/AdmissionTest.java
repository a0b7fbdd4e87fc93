package io.poolkeeper.testbed.ntier.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.ntier.PostgresServer;
import io.poolkeeper.testbed.ntier.data.Boards;
import io.poolkeeper.testbed.ntier.database.Session;
import io.poolkeeper.testkit.Conditions;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Overload control of a board: a limit on requests, whose rule sees the times of those admitted.
 */
final class AdmissionTest {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Keeps its limit and all samples. */
  private static final class Fixed implements SampleRule {

    private final int limit;
    final List<String> samples = Collections.synchronizedList(new ArrayList<>());

    Fixed(int limit) {
      this.limit = limit;
    }

    @Override
    public String name() {
      return "fixed";
    }

    @Override
    public int limit() {
      return limit;
    }

    @Override
    public void sample(long start, long time, int inFlight, boolean dropped) {
      assertThat(time).isPositive();
      samples.add(inFlight + (dropped ? " dropped" : " served"));
    }

    @Override
    public String reason() {
      return "";
    }
  }

  @Test
  void requestsBeyondTheLimitGet503AtOnce() throws Exception {
    Fixed rule = new Fixed(1);
    String url = Boards.small(PostgresServer.shared());
    try (BoardProcess board = new BoardProcess(url, 20, 1, PATIENCE, Optional.of(rule))) {
      CompletableFuture<HttpResponse<String>> first;
      try (Session held = board.board.database().open("held")) {
        assertThat(held.query("select 1")).hasSize(1);
        first = CompletableFuture.supplyAsync(() -> get(board));
        Conditions.await(
            "the first waits for the connection",
            () -> board.board.connections().waiting().busy() > 0);
        HttpResponse<String> refused = get(board);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).isEqualTo("the board is overloaded\n");
      }
      assertThat(first.get().statusCode()).isEqualTo(200);
      assertThat(get(board).statusCode()).isEqualTo(200);
      assertThat(rule.samples).containsExactly("1 served", "1 served");
      assertThat(board.idleTier().get("errors").asInt()).isEqualTo(1);
    }
  }

  @Test
  void aRequestWithoutAConnectionInTimeIsASignOfLoad() throws Exception {
    Fixed rule = new Fixed(9);
    String url = Boards.small(PostgresServer.shared());
    try (BoardProcess board =
        new BoardProcess(url, 20, 1, Duration.ofSeconds(1), Optional.of(rule))) {
      try (Session held = board.board.database().open("held")) {
        assertThat(held.query("select 1")).hasSize(1);
        assertThat(get(board).statusCode()).isEqualTo(503);
      }
      board.idleTier();
      assertThat(rule.samples).containsExactly("1 dropped");
    }
  }

  @Test
  void everyRuleHasItsName() {
    for (String name : AdmissionValve.NAMES) {
      Optional<String> found = AdmissionValve.rule(name).map(SampleRule::name);
      assertThat(found).isEqualTo(name.equals("none") ? Optional.empty() : Optional.of(name));
    }
  }

  private static HttpResponse<String> get(BoardProcess board) {
    try {
      return board.get("/BrowseCategories");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
