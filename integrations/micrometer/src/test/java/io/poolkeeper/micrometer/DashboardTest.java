package io.poolkeeper.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.testkit.Conditions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The dashboard for Grafana, against what a running pool exports to Prometheus. */
final class DashboardTest {

  private static final Path FILE = Path.of("grafana", "poolkeeper.json");

  private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)\\}\\}");

  private static JsonNode dashboard;
  private static Scrape scrape;

  @BeforeAll
  static void scrapePoolThatRuns() throws IOException {
    dashboard = new ObjectMapper().readTree(FILE.toFile());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("orders")
            .window(Duration.ofMillis(20))
            .listener(new PoolMeters(registry))
            .build()) {
      pool.execute(() -> {});
      Conditions.await(
          "a task is counted",
          () -> registry.scrape().contains("poolkeeper_pool_completions_total{name=\"orders\"} 1"));
      String text = registry.scrape();
      Files.writeString(Path.of("target", "scrape.txt"), text);
      scrape = new Scrape(text);
    }
  }

  /** All expressions of panels, variables and annotations. */
  private static List<String> queries() {
    List<String> queries = new ArrayList<>();
    dashboard
        .get("panels")
        .forEach(panel -> panel.get("targets").forEach(t -> queries.add(t.get("expr").asText())));
    dashboard
        .get("annotations")
        .get("list")
        .forEach(annotation -> queries.add(annotation.get("expr").asText()));
    dashboard
        .get("templating")
        .get("list")
        .forEach(
            variable -> {
              if (variable.get("type").asText().equals("query")) {
                queries.add(variable.get("query").get("query").asText());
              }
            });
    return queries;
  }

  @Test
  void everyMetricLabelAndValueOfEveryQueryExists() {
    assertThat(queries()).hasSizeGreaterThan(20);
    for (String query : queries()) {
      assertThat(PromQl.selectors(query)).as(query).isNotEmpty();
      assertThat(scrape.faults(query)).as(query).isEmpty();
    }
  }

  @Test
  void queryForWhatDoesNotExistIsFound() {
    assertThat(scrape.faults("sum(rate(poolkeeper_pool_sizes{name=~\"$name\"}[5m]))"))
        .containsExactly("no metric poolkeeper_pool_sizes");
    assertThat(scrape.faults("poolkeeper_pool_size{pool=~\"$name\"} / poolkeeper_pool_busi"))
        .containsExactly("no label pool of poolkeeper_pool_size", "no metric poolkeeper_pool_busi");
    assertThat(scrape.faults("sum by (name, outcome) (poolkeeper_pool_size)"))
        .containsExactly("no label outcome of poolkeeper_pool_size");
    assertThat(scrape.faults("poolkeeper_pool_decisions_total{action=~\"refused|missed\"}"))
        .containsExactly("no action=missed of poolkeeper_pool_decisions_total");
    assertThat(scrape.faults("label_values(poolkeeper_pool_size, pool)"))
        .containsExactly("no label pool of poolkeeper_pool_size");
  }

  @Test
  void legendsNameLabelsThatTheirQueriesKeep() {
    dashboard
        .get("panels")
        .forEach(
            panel ->
                panel
                    .get("targets")
                    .forEach(
                        target -> {
                          Matcher label = LEGEND.matcher(target.get("legendFormat").asText());
                          while (label.find()) {
                            assertThat(PromQl.selectors(target.get("expr").asText()))
                                .as(panel.get("title").asText())
                                .allMatch(s -> s.labels().contains(label.group(1)));
                          }
                        }));
  }

  @Test
  void panelsHaveNumbersOfTheirOwnAndDoNotOverlap() {
    Set<Integer> ids = new HashSet<>();
    Set<List<Integer>> cells = new HashSet<>();
    for (JsonNode panel : dashboard.get("panels")) {
      assertThat(ids.add(panel.get("id").asInt())).as("id of %s", panel.get("title")).isTrue();
      assertThat(panel.get("description").asText()).isNotBlank();
      JsonNode at = panel.get("gridPos");
      assertThat(at.get("x").asInt() + at.get("w").asInt()).isLessThanOrEqualTo(24);
      for (int x = 0; x < at.get("w").asInt(); x++) {
        for (int y = 0; y < at.get("h").asInt(); y++) {
          assertThat(cells.add(List.of(at.get("x").asInt() + x, at.get("y").asInt() + y)))
              .as("place of %s", panel.get("title"))
              .isTrue();
        }
      }
    }
  }
}
