package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

final class CommandsTest {

  @Command(name = "fly", mixinStandardHelpOptions = true)
  private static final class Fly implements Callable<Integer> {
    @Parameters(paramLabel = "PLANE", arity = "0..1")
    private String plane = "";

    @Option(names = {"-c", "--controller"})
    private String controller = "";

    @Option(names = "--controls", hidden = true)
    private boolean controls;

    @Override
    public Integer call() {
      if (controller.isEmpty() || controls) {
        throw new IllegalArgumentException(plane + " needs a controller");
      }
      throw new IllegalStateException();
    }
  }

  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private int run(String... args) {
    PrintStream err = new PrintStream(errors, true, StandardCharsets.UTF_8);
    return Commands.of(new Fly(), err, err, e -> e instanceof IllegalArgumentException)
        .execute(args);
  }

  private void saysOnly(String line) {
    assertThat(errors.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines(line);
  }

  @Test
  void aMistypedOptionGetsTheNearestOne() {
    assertThat(run("--controler", "fbos")).isEqualTo(Commands.BAD_INPUT);
    saysOnly(
        "poolkeeper: unknown option '--controler'; did you mean '--controller'? known: --controller,"
            + " --help, --version (--help explains)");
  }

  @Test
  void itsValueIsNoPartOfTheName() {
    assertThat(run("--controler=a-long-value", "glider")).isEqualTo(Commands.BAD_INPUT);
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .contains("unknown option '--controler'; did you mean '--controller'?");
  }

  @Command(name = "land")
  private static final class Land implements Callable<Integer> {
    @Parameters(paramLabel = "PLANE", arity = "0..1")
    private String plane = "";

    @Option(names = "--runway", required = true)
    private String runway = "";

    @Override
    public Integer call() {
      throw new IllegalArgumentException(plane + " at " + runway);
    }
  }

  private int land(String... args) {
    PrintStream err = new PrintStream(errors, true, StandardCharsets.UTF_8);
    return Commands.of(new Land(), err, err, e -> true).execute(args);
  }

  @Test
  void aMistypedOptionIsNotMerelyMissing() {
    assertThat(land("--runaway", "2", "glider")).isEqualTo(Commands.BAD_INPUT);
    saysOnly(
        "poolkeeper: unknown option '--runaway'; did you mean '--runway'? known: --runway"
            + " (--help explains)");
  }

  @Test
  void aMissingOptionIsNamed() {
    assertThat(land("glider")).isEqualTo(Commands.BAD_INPUT);
    saysOnly("poolkeeper: Missing required option: '--runway=<runway>' (--help explains)");
  }

  @Test
  void anArgumentTooManyIsNoOption() {
    assertThat(run("glider", "biplane")).isEqualTo(Commands.BAD_INPUT);
    saysOnly("poolkeeper: Unmatched argument at index 1: 'biplane' (--help explains)");
  }

  @Test
  void whatTheCallerMustChangeHasACodeOfItsOwn() {
    assertThat(run("glider")).isEqualTo(Commands.BAD_INPUT);
    saysOnly("poolkeeper: glider needs a controller");
  }

  @Test
  void whateverElseGoesWrongIsToldToo() {
    assertThat(run("-c", "fbos")).isEqualTo(Commands.FAILED);
    saysOnly("poolkeeper: java.lang.IllegalStateException");
  }
}
