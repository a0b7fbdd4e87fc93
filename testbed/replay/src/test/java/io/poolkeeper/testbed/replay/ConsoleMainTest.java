package io.poolkeeper.testbed.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Refusals of the console of records; its pages are tested in a browser, by the lab. */
final class ConsoleMainTest {

  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private String refusal(String... args) {
    PrintStream none = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    PrintStream err = new PrintStream(errors, true, StandardCharsets.UTF_8);
    assertThat(ConsoleMain.execute(none, err, args)).isEqualTo(2);
    String text = errors.toString(StandardCharsets.UTF_8).strip();
    assertThat(text).hasLineCount(1).startsWith("poolkeeper: ");
    return text;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--port 65536 | port must be 0 to 65535, but is 65536; the nearest valid value is 65535",
        "--port -1    | port must be 0 to 65535, but is -1; the nearest valid value is 0",
        "--prt 1      | did you mean '--port'",
      })
  void wrongOptionsAreNamed(String options, String message, @TempDir Path folder) {
    assertThat(refusal((folder + " " + options).split(" "))).contains(message);
  }

  @Test
  void foreignFilesAreNamed(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("windows.csv"), "time,value\n1,2\n");
    assertThat(refusal(folder.toString())).contains(folder + "/windows.csv");
  }

  @Test
  void aTakenPortIsNamed(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("decisions.jsonl"),
        """
        {"pool": "p", "controller": "c", "at_ns": 1, "mode": "active", "action": "resized", \
        "size_before": 1, "size_after": 2, "size_asked": 2, "reason": "more", "numbers": {}}
        """);
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      assertThat(refusal(folder.toString(), "--port", port))
          .contains("cannot listen on console port " + port);
    }
  }
}
