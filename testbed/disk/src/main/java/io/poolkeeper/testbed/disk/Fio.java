package io.poolkeeper.testbed.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** fio, a program that loads disks. */
public final class Fio {

  /**
   * Ends the program when standard input does, so with this process, even if that is killed. Nobody
   * ever writes a line to it.
   */
  private static final String UNTIL_INPUT_ENDS =
      "exec 3<&0; \"$@\" & fio=$!; { read -r line <&3; kill $fio; } 2> /dev/null & watch=$!;"
          + " wait $fio; code=$?; kill $watch 2> /dev/null; exit $code";

  private Fio() {}

  /**
   * Returns the version that is installed, such as {@code fio-3.33}.
   *
   * @throws IOException with the name of the Debian package if there is none
   */
  public static String version() throws IOException {
    try {
      Process process = new ProcessBuilder("fio", "--version").redirectErrorStream(true).start();
      return output(process).strip();
    } catch (IOException e) {
      throw new IOException("fio is missing; on Debian: apt-get install fio", e);
    }
  }

  /**
   * Starts it, with its messages in its output. It ends when its standard input is closed, or this
   * process has ended.
   */
  public static Process start(List<String> options) throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", UNTIL_INPUT_ENDS, "sh", "fio"));
    command.addAll(options);
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** Returns what one that has ended says of its end, in one line. */
  public static String problem(String output) {
    List<String> lines = output.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    return lines.stream()
        .filter(line -> line.startsWith("fio: "))
        .findFirst()
        .orElse(lines.isEmpty() ? "fio printed nothing" : lines.get(lines.size() - 1));
  }

  /** Returns all that a process prints, once it has ended. */
  public static String output(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
