package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts that the guide quotes are those of the sources. */
final class GuideTest {

  private static final Path ROOT = Path.of("..");

  /** A quoted text in the first cell of a row. */
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** Parts of a quoted text that stand for a value. */
  private static final Pattern VALUES = Pattern.compile("\\.\\.\\.|\\b(N|FILE|NAME)\\b");

  /** Characters of the source that may hold a value: a format, or an expression between texts. */
  private static final String VALUE = ".{0,60}?";

  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String module : List.of("core", "integrations")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module))) {
        for (Path file : files.filter(GuideTest::isSource).toList()) {
          all.append(Files.readString(file)).append('\n');
        }
      }
    }
    return all.toString().replaceAll("\"\\s*\\+\\s*\"", "").replaceAll("\\s+", " ");
  }

  private static boolean isSource(Path file) {
    String name = file.toString();
    return name.contains("/src/main/java/") && name.endsWith(".java");
  }

  /** Returns the texts in the first cells of the rows, from a heading on; of all without one. */
  private static List<String> quoted(Path guide, String heading) throws IOException {
    List<String> found = new ArrayList<>();
    boolean reading = heading.isEmpty();
    for (String line : Files.readAllLines(guide)) {
      reading = line.startsWith("## ") ? line.equals(heading) : reading;
      if (reading && line.startsWith("| `")) {
        String cell = line.substring(0, line.indexOf(" | ")).replaceAll("\\([^)]*\\)", "");
        QUOTED.matcher(cell).results().map(result -> result.group(1)).forEach(found::add);
      }
    }
    return found;
  }

  private static boolean isIn(String sources, String text) {
    String regex =
        Stream.of(VALUES.split(text.strip(), -1))
            .map(String::strip)
            .filter(part -> !part.isEmpty())
            .map(Pattern::quote)
            .collect(Collectors.joining(VALUE));
    return Pattern.compile(regex).matcher(sources).results().map(MatchResult::group).count() > 0;
  }

  @ParameterizedTest
  @ValueSource(strings = {"decisions.md## Kinds of reasons", "troubleshooting.md"})
  void quotedMessagesAreThoseOfTheLibrary(String place) throws IOException {
    int heading = place.indexOf('#');
    Path guide =
        ROOT.resolve("docs/guide").resolve(heading < 0 ? place : place.substring(0, heading));
    List<String> quoted = quoted(guide, heading < 0 ? "" : place.substring(heading));
    assertThat(quoted).hasSizeGreaterThan(10);
    String sources = sources();
    assertThat(quoted).filteredOn(text -> !isIn(sources, text)).isEmpty();
  }

  @Test
  void aMessageThatIsNowhereIsFound() throws IOException {
    assertThat(isIn(sources(), "nothing has ended for N s")).isTrue();
    assertThat(isIn(sources(), "nothing has ended for N s".toUpperCase(Locale.ROOT))).isFalse();
  }
}
