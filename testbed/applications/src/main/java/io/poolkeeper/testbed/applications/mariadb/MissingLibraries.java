package io.poolkeeper.testbed.applications.mariadb;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Shared libraries that a program needs and the machine has not, and what to install for them. */
final class MissingLibraries {

  private static final Pattern NOT_FOUND = Pattern.compile("\\s*(\\S+) => not found");

  /** Debian packages of the libraries that MariaDB's own binaries need. */
  private static final Map<String, String> PACKAGES =
      Map.of(
          "libaio.so.1", "libaio1",
          "libcrypt.so.1", "libcrypt1",
          "libgcc_s.so.1", "libgcc-s1",
          "libncurses.so.5", "libncurses5",
          "libstdc++.so.6", "libstdc++6",
          "libsystemd.so.0", "libsystemd0",
          "libtinfo.so.5", "libtinfo5");

  private MissingLibraries() {}

  /**
   * Returns what {@code program} lacks, as a message; empty if nothing, or if this cannot be found
   * out.
   */
  static String of(Path program) {
    try {
      Process ldd =
          new ProcessBuilder("ldd", program.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return parse(new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      return "";
    }
  }

  /** Reads the output of {@code ldd}. */
  static String parse(String listing) {
    List<String> libraries = new ArrayList<>();
    List<String> packages = new ArrayList<>();
    for (String line : listing.lines().toList()) {
      Matcher missing = NOT_FOUND.matcher(line);
      if (missing.matches()) {
        String library = missing.group(1);
        libraries.add(library);
        packages.add(PACKAGES.getOrDefault(library, "the package of " + library));
      }
    }
    return libraries.isEmpty()
        ? ""
        : "this machine lacks "
            + String.join(", ", libraries)
            + "; on Debian: apt-get install "
            + String.join(" ", packages);
  }
}
