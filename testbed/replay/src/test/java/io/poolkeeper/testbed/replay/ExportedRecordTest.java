package io.poolkeeper.testbed.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.console.Console;
import io.poolkeeper.testbed.replay.Runs.Printed;
import io.poolkeeper.testkit.VirtualClock;
import io.poolkeeper.testkit.VirtualPool;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Run records that the console of a running program exports. */
@Timeout(300)
final class ExportedRecordTest {

  @TempDir private Path folder = Path.of("");

  @Test
  void aReplayDecidesTheSame() throws Exception {
    Printed printed = Runs.replay(export(0));

    assertThat(printed.out())
        .startsWith("pool orders / Zürich, response-curve (objective p99-response-time, ")
        .endsWith("): 40 of 40 decisions the same\n");
    assertThat(printed.err()).isEmpty();
    assertThat(printed.code()).isZero();
  }

  @Test
  void aRecordThatBeginsAfterItsPoolSaysSo() throws Exception {
    Printed printed = Runs.replay(export(20));

    assertThat(printed.out())
        .contains(" of 20 decisions the same\n", "  the record is partial: ")
        .doesNotContain("20 of 20");
    assertThat(printed.code()).isZero();
  }

  /**
   * Lets a pool decide 40 times, and exports its record.
   *
   * @param unseen windows before the console is opened
   */
  private Path export(int unseen) throws Exception {
    VirtualClock clock = new VirtualClock(77_000_000_000L);
    VirtualPool pool =
        new VirtualPool(
            "orders / Zürich", Runs.BOUNDS, 8, VirtualPool.scalability(37.7, 0.03, 0.0007));
    pool.users(60);
    try (Console console = Console.open();
        ControlLoop loop =
            ControlLoop.tune(pool)
                .controller(Controllers.forObjective(Objective.named("p99-response-time")))
                .window(Duration.ofSeconds(1))
                .jmx(false)
                .ticker(clock)
                .timer(clock)
                .start()) {
      clock.advance(Duration.ofSeconds(unseen));
      console.watch(pool, loop);
      clock.advance(Duration.ofSeconds(40 - unseen));
      return download(console.address());
    }
  }

  private Path download(URI console) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(console.resolve("/api/record?name=orders+%2F+Z%C3%BCrich"))
            .header("Authorization", "Bearer " + console.getFragment())
            .build();
    HttpResponse<InputStream> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Disposition").orElse(""))
        .startsWith("attachment; filename=\"orders-Z_rich-")
        .contains(".zip\"; filename*=UTF-8''orders-Z%C3%BCrich-")
        .endsWith(".zip");
    Path run = folder;
    try (ZipInputStream zip = new ZipInputStream(answer.body())) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = folder.resolve(entry.getName());
        run = file.resolveSibling("");
        Files.createDirectories(run);
        Files.copy(zip, file);
      }
    }
    return run;
  }
}
