package io.poolkeeper.testbed.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.tunnel.course.Loads;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.plan.Cell;
import io.poolkeeper.testbed.tunnel.plan.Plan;
import io.poolkeeper.testbed.tunnel.plant.Plants;
import io.poolkeeper.testbed.tunnel.results.Catalogue;
import io.poolkeeper.testbed.tunnel.results.Results;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command: what it makes, and what it says to wrong input. */
final class TunnelMainTest {

  @TempDir private Path parent = Path.of("");

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("-o");
    all.add(folder().toString());
    PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
    return TunnelMain.execute(stream, stream, all.toArray(String[]::new));
  }

  private Path folder() {
    return parent.resolve("results");
  }

  private String errors() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "--controllers, thruoghput, unknown controller 'thruoghput'; did you mean 'throughput'?",
    "--controllers, fixed-300, unknown controller 'fixed-300'; fixed-N is known for N from 1 to 256",
    "--controllers, fixed-0, unknown controller 'fixed-0'; fixed-N is known for N from 1 to 256",
    "--plants, databse, unknown plant 'databse'; did you mean 'database'?",
    "--loads, closed-99, unknown load 'closed-99'; did you mean 'closed-1",
    "--noise, 9%, unknown noise '9%'; did you mean '8%'?",
    "--seeds, -1, '--seeds must be within 1..1000, but is -1'",
    "--largest, 1, '--largest must be within 2..256, but is 1'",
    "--largest, 257, '--largest must be within 2..256, but is 257'",
    "--jobs, 0, '--jobs must be >= 1, but is 0'",
    "--drawn, 0, '--drawn must be within 1..1000, but is 0'",
    "--drawn, some, Invalid value for option '--drawn'",
    "--seed, 7, '--seed is the first seed of drawn plants; give --drawn COUNT as well'",
    "--controllers, '', the controller is empty; known: ",
    "--seeds, many, Invalid value for option '--seeds'"
  })
  void wrongInputIsNamedWithTheNearestRightOne(String option, String value, String message) {
    assertThat(run(option, value)).isEqualTo(2);
    assertThat(errors()).startsWith("poolkeeper: " + message).hasLineCount(1);
    assertThat(folder()).doesNotExist();
  }

  @Test
  void aSeedBelowZeroIsNamed() {
    assertThat(run("--drawn", "3", "--seed", "-1")).isEqualTo(2);
    assertThat(errors()).isEqualTo("poolkeeper: --seed must be within 0..1000000000, but is -1\n");
    assertThat(folder()).doesNotExist();
  }

  /** Of plant cpu and two users, one worker does half. */
  @Test
  void poolsHaveALargestSize() throws Exception {
    String[] cell = {"--plants", "cpu", "--loads", "closed-100", "--noise", "none", "--seeds", "1"};
    assertThat(run(with(cell, "--largest", "2", "--controllers", "fixed-3"))).isEqualTo(2);
    assertThat(errors()).contains("fixed-N is known for N from 1 to 2");
    String[] bounded = with(cell, "--largest", "2", "--controllers", "fixed-1,fixed-2,aimd-style");
    assertThat(run(bounded)).isZero();
    List<String> lines = Files.readAllLines(folder().resolve(Results.RESULTS));
    assertThat(lines).hasSize(1 + 3);
    assertThat(overall(lines, "fixed-1")).isBetween(0.4, 0.6);
    assertThat(overall(lines, "fixed-2")).isBetween(0.99, 1.01);
    assertThat(overall(lines, "aimd-style")).isBetween(0.4, 1.01);
    assertThat(run(with(cell, "--largest", "3", "--controllers", "fixed-1", "--resume")))
        .isEqualTo(2);
    assertThat(errors()).contains("holds pools of up to 2 workers, but --largest is 3");
  }

  private static double overall(List<String> lines, String controller) {
    int column = List.of(lines.get(0).split(",", -1)).indexOf("overall");
    return lines.stream()
        .filter(line -> line.contains("," + controller + ","))
        .mapToDouble(line -> Double.parseDouble(line.split(",", -1)[column]))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aDrawnPlantIsTheSameAloneAndAmongOthers() throws Exception {
    assertThat(run("--drawn", "3", "--seed", "140", "--controllers", "fixed-9")).isZero();
    assertThat(errors())
        .contains("3 drawn plants, seeds 140 to 142 (for tuning)")
        .contains("worst draws of fixed-9");
    List<String> three = Files.readAllLines(folder().resolve(Results.RESULTS));
    assertThat(three).hasSize(1 + 3);
    Files.delete(folder().resolve(Results.RESULTS));
    Files.delete(folder().resolve(Results.CURVES));
    assertThat(run("--drawn", "1", "--seed", "142", "--controllers", "fixed-9")).isZero();
    assertThat(Files.readAllLines(folder().resolve(Results.RESULTS)).get(1)).isIn(three);
    // The optimum and the contestant.
    assertThat(Files.readAllLines(folder().resolve(Results.CURVES))).hasSize(1 + 2);
  }

  @Test
  void drawnPlantsAreAddedToThoseOfTheTunnel() throws Exception {
    String[] few = {"--plants", "cpu", "--loads", "closed-1", "--seeds", "2"};
    String[] drawn = {"--controllers", "fixed-9", "--drawn", "2"};
    assertThat(run(with(few, drawn))).isZero();
    Path file = folder().resolve(Results.RESULTS);
    assertThat(Files.readAllLines(file))
        .hasSize(1 + 2 + 2)
        .filteredOn(line -> line.startsWith("cpu,closed-1,8%,"))
        .hasSize(2);
    assertThat(run("--controllers", "fixed-9", "--drawn", "3", "--resume")).isZero();
    assertThat(Files.readAllLines(file)).hasSize(1 + 2 + 3);
    assertThat(run("--controllers", "fixed-9", "--drawn", "1", "--seed", "9", "--resume")).isZero();
    assertThat(Files.readAllLines(file)).hasSize(1 + 2 + 4);
    // The catalogue still knows the draws of before.
    assertThat(Files.readString(folder().resolve(Catalogue.FILE)))
        .contains("\"seed\":1,", "\"seed\":2,", "\"seed\":3,", "\"seed\":9,");
  }

  @Test
  void aFolderThatCannotBeMadeIsNamed() throws Exception {
    Files.writeString(folder(), "a file");
    assertThat(run("--quick")).isEqualTo(2);
    assertThat(errors())
        .isEqualTo(
            "poolkeeper: --output: the folder '%s' cannot be made: there is a file of that name\n"
                .formatted(folder()));
  }

  @Test
  void resultsAreNotOverwrittenButAddedTo() throws Exception {
    String[] some = {
      "--plants", "cpu", "--loads", "closed-1", "--noise", "none", "--seeds", "1", "--controllers"
    };
    assertThat(run(with(some, "fixed-3"))).isZero();
    assertThat(run(with(some, "fixed-4"))).isEqualTo(2);
    assertThat(errors()).contains("holds results; --resume adds to them");
    assertThat(run(with(some, "fixed-4", "--resume"))).isZero();
    assertThat(Files.readAllLines(folder().resolve(Results.RESULTS)))
        .hasSize(3)
        .anyMatch(line -> line.startsWith("cpu,closed-1,none,1,fixed-3,1.00000,1.00000,"))
        .anyMatch(line -> line.startsWith("cpu,closed-1,none,1,fixed-4,1.00000,1.00000,"));
    assertThat(Files.readString(folder().resolve(Catalogue.FILE)))
        .contains("\"name\":\"fixed-3\"")
        .contains("\"name\":\"fixed-4\"");
  }

  @Test
  void aDamagedLineOfResultsIsNamed() throws Exception {
    String[] some = {
      "--plants", "cpu", "--loads", "closed-1", "--noise", "none", "--seeds", "1", "--controllers"
    };
    assertThat(run(with(some, "fixed-3"))).isZero();
    Path file = folder().resolve(Results.RESULTS);
    Files.writeString(file, Files.readString(file) + "garbage,line\n");
    err.reset();
    assertThat(run(with(some, "fixed-4", "--resume"))).isEqualTo(2);
    assertThat(errors())
        .isEqualTo(
            "poolkeeper: %s:3: has 2 cells, the header has 18; remove the line and its run is made again\n"
                .formatted(file));
  }

  @Test
  void aDiskThatIsFullIsToldInOneLine() throws Exception {
    Files.createDirectories(folder());
    Files.createSymbolicLink(folder().resolve(Results.RESULTS), Path.of("/dev/full"));
    assertThat(run("--quick", "--resume")).isEqualTo(1);
    assertThat(errors())
        .isEqualTo(
            "poolkeeper: %s: No space left on device; runs that have ended are kept, and --resume continues\n"
                .formatted(folder()));
    Files.delete(folder().resolve(Results.RESULTS));
  }

  @Test
  void aDamagedCatalogueIsNamed() throws Exception {
    Files.createDirectories(folder());
    Path file = folder().resolve(Catalogue.FILE);
    Files.writeString(file, "{\"version\": 1,\n\"contr");
    assertThat(run("--quick")).isEqualTo(2);
    assertThat(errors())
        .isEqualTo(
            "poolkeeper: %s:2: is no JSON; remove it and --resume makes it again\n"
                .formatted(file));
    assertThat(folder().toFile().list()).noneMatch(each -> each.endsWith(".new"));
  }

  private static String[] with(String[] some, String... more) {
    List<String> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void theFullFormLeavesOutWhatTellsNothing() {
    Plan.Choice full = new Plan.Choice(false, List.of(), List.of(), List.of());
    List<Cell> cells = Plan.cells(full);
    assertThat(cells).hasSize(11 * (15 + 2 * 3)).doesNotHaveDuplicates();
    assertThat(cells.stream().map(Cell::plant).distinct()).hasSameSizeAs(Plants.ALL.values());
    assertThat(cells.stream().map(Cell::load).distinct()).hasSameSizeAs(Loads.ALL.values());
    assertThat(cells.stream().map(Cell::noise).distinct())
        .containsExactlyInAnyOrder(Noise.NONE, Noise.WANDERING, Noise.DROPS, Noise.PAUSES);
    List<Cell> quick = Plan.cells(new Plan.Choice(true, List.of(), List.of(), List.of()));
    assertThat(cells).containsAll(quick);
    assertThat(quick).hasSizeLessThan(cells.size() / 5);
  }

  @Test
  void namedNoisesAreMetInFull() {
    Plan.Choice pauses =
        new Plan.Choice(true, List.of(), List.of(), List.of(Noise.PAUSES, Noise.NONE));
    assertThat(Plan.cells(pauses)).hasSize(5 * 5 * 2);
  }

  @Test
  void theSameRunsGiveTheSameResults() throws Exception {
    String[] some = {
      "--plants", "collapse", "--loads", "bursty-0.9", "--seeds", "2", "--controllers", "throughput"
    };
    assertThat(run(with(some, "--jobs", "2"))).isZero();
    List<String> once = Files.readAllLines(folder().resolve(Results.RESULTS));
    Files.delete(folder().resolve(Results.RESULTS));
    Files.delete(folder().resolve(Results.CURVES));
    assertThat(run(with(some, "--jobs", "1"))).isZero();
    assertThat(Files.readAllLines(folder().resolve(Results.RESULTS)))
        .containsExactlyInAnyOrderElementsOf(once);
  }
}
