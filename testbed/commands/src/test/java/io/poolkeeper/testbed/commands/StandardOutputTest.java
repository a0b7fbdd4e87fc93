package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class StandardOutputTest {

  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private int print(OutputStream to, int code) {
    return StandardOutput.guard(
        to,
        new PrintStream(errors, true, StandardCharsets.UTF_8),
        out -> {
          out.print("a figure: 1 ± 2");
          return code;
        });
  }

  private static OutputStream failing(String why) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(why);
      }
    };
  }

  @Test
  void whatCannotBeWrittenIsToldAndFails() {
    assertThat(print(failing("No space left on device"), 0)).isEqualTo(1);
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines(
            "poolkeeper: standard output cannot be written: No space left on device");
    assertThat(print(failing("No space left on device"), 130)).isEqualTo(130);
  }

  @Test
  void aReaderWhoHasHadEnoughIsNoError() {
    assertThat(print(failing("Broken pipe"), 0)).isZero();
    assertThat(errors.size()).isZero();
  }

  @Test
  void everythingIsWrittenInUtf8() {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    assertThat(print(written, 2)).isEqualTo(2);
    assertThat(written.toString(StandardCharsets.UTF_8)).isEqualTo("a figure: 1 ± 2");
  }
}
