package io.poolkeeper.testbed.servers.liberty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The location of Open Liberty. It is published as a whole server of 352 MB and not in parts, which
 * a build does not fetch for everybody: who wants to compare with it fetches it once, into the
 * local repository of Maven. Of the server five bundles are needed, and none of its OSGi framework.
 */
public final class OpenLiberty {

  /** The release that was measured. */
  public static final String VERSION = "26.0.0.3";

  private static final String ARTIFACT = "io.openliberty:openliberty-runtime:" + VERSION + ":zip";

  /** The bundles of the executor and its controller, each with what follows its name. */
  private static final List<String> BUNDLES =
      List.of(
          "wlp/lib/com.ibm.ws.threading_",
          "wlp/lib/com.ibm.ws.kernel.service_",
          "wlp/lib/com.ibm.ws.kernel.boot_",
          "wlp/lib/com.ibm.ws.kernel.feature_",
          "wlp/lib/com.ibm.ws.logging_");

  private OpenLiberty() {}

  /**
   * Its archive in the local repository of Maven: that of the property {@code maven.repo.local}, or
   * {@code .m2/repository} in the home folder.
   *
   * @throws IllegalArgumentException if it is not there, with the command that fetches it
   */
  public static Path archive() {
    String given = System.getProperty("maven.repo.local");
    return archive(
        given == null
            ? Path.of(System.getProperty("user.home"), ".m2", "repository")
            : Path.of(given));
  }

  /** As the other one, in a repository that is given. */
  static Path archive(Path repository) {
    Path file =
        repository.resolve(
            "io/openliberty/openliberty-runtime/%1$s/openliberty-runtime-%1$s.zip"
                .formatted(VERSION));
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException(
          "open-liberty needs Open Liberty %s, which is not in %s; to fetch it (352 MB): mvn dependency:get -Dartifact=%s -Dtransitive=false"
              .formatted(VERSION, repository, ARTIFACT));
    }
    return file;
  }

  /**
   * Loads its classes anew, so that nothing that an executor before it left in a static field is
   * seen by the next one.
   *
   * @throws IllegalArgumentException if the archive does not hold a bundle that is needed
   * @throws UncheckedIOException if it cannot be read
   */
  static URLClassLoader load(Path archive) {
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      Path folder = Files.createTempDirectory("open-liberty");
      folder.toFile().deleteOnExit();
      List<URL> jars = new ArrayList<>();
      for (String bundle : BUNDLES) {
        Path jar = Files.createTempFile(folder, "bundle", ".jar");
        jar.toFile().deleteOnExit();
        Files.write(jar, zip.getInputStream(entry(zip, archive, bundle)).readAllBytes());
        jars.add(jar.toUri().toURL());
      }
      return new URLClassLoader(
          "open-liberty", jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    } catch (IOException e) {
      throw new UncheckedIOException(archive + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static ZipEntry entry(ZipFile zip, Path archive, String bundle) {
    return zip.stream()
        .<ZipEntry>map(each -> each)
        .filter(each -> each.getName().startsWith(bundle) && each.getName().endsWith(".jar"))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s is not Open Liberty as it is known here: it has no %s*.jar"
                        .formatted(archive, bundle)));
  }
}
