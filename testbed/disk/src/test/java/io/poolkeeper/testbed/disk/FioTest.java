package io.poolkeeper.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FioTest {

  private final Path folder;

  FioTest(@TempDir(factory = FolderOnDisk.class) Path folder) {
    this.folder = folder;
  }

  private static void assumeInstalled() {
    try {
      assertThat(Fio.version()).startsWith("fio-");
    } catch (IOException e) {
      assumeTrue(false, e.getMessage());
    }
  }

  private static List<String> options(Path folder) {
    return List.of(
        "--name=x",
        "--directory=" + folder,
        "--rw=randread",
        "--size=64k",
        "--time_based",
        "--runtime=1h",
        "--rate=64k");
  }

  /** Starts fio, and prints its process. */
  public static final class Starter {
    private Starter() {}

    public static void main(String[] arguments) throws Exception {
      Process shell = Fio.start(options(Path.of(arguments[0])));
      System.out.println(process(shell).pid());
      Thread.currentThread().join();
    }
  }

  /** Prints the version, or why there is none. */
  public static final class VersionPrinter {
    private VersionPrinter() {}

    public static void main(String[] arguments) {
      try {
        System.out.println(Fio.version());
      } catch (IOException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  private static ProcessBuilder java(Class<?> main, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  private static ProcessHandle process(Process shell) {
    Optional<ProcessHandle> found = Optional.empty();
    while (found.isEmpty() && shell.isAlive()) {
      found =
          shell
              .descendants()
              .filter(child -> child.info().command().orElse("").endsWith("/fio"))
              .findAny();
    }
    return found.orElseThrow();
  }

  @Test
  void endsWithItsStarterThatIsKilled() throws Exception {
    assumeInstalled();
    Process starter =
        java(Starter.class, folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long fio;
    try {
      fio = Long.parseLong(starter.inputReader().readLine());
    } finally {
      starter.destroyForcibly();
    }
    Optional<ProcessHandle> left = ProcessHandle.of(fio);
    if (left.isPresent()) {
      assertThat(left.get().onExit().get(5, TimeUnit.MINUTES).isAlive()).isFalse();
    }
  }

  @Test
  void endsWhenItsInputIsClosed() throws Exception {
    assumeInstalled();
    Process shell = Fio.start(options(folder));
    ProcessHandle fio = process(shell);
    shell.getOutputStream().close();
    assertThat(shell.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(fio.isAlive()).isFalse();
  }

  @Test
  void endsByItselfWithItsExitCodeAndItsReason() throws Exception {
    assumeInstalled();
    Process shell = Fio.start(List.of("--name=x", "--directory=" + folder.resolve("none")));
    String output = Fio.output(shell);
    assertThat(shell.waitFor()).isNotZero();
    assertThat(Fio.problem(output)).startsWith("fio: ").contains("none").hasLineCount(1);
  }

  @Test
  void reasonIsTheFirstOfItsErrorsOrItsLastLine() {
    assertThat(Fio.problem("x\nfio: first\nfio: second\ny\n")).isEqualTo("fio: first");
    assertThat(Fio.problem("x\n\n y \n\n")).isEqualTo("y");
    assertThat(Fio.problem("")).isEqualTo("fio printed nothing");
  }

  @Test
  void withoutItTheDebianPackageIsNamed() throws Exception {
    ProcessBuilder builder = java(VersionPrinter.class).redirectErrorStream(true);
    builder.environment().put("PATH", "/nowhere");
    assertThat(Fio.output(builder.start()))
        .isEqualTo("fio is missing; on Debian: apt-get install fio\n");
  }
}
