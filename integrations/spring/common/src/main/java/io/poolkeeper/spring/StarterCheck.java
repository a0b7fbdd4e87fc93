package io.poolkeeper.spring;

import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;

/** Tells of a starter that is made for another version of Spring Boot. */
public final class StarterCheck {

  private StarterCheck() {}

  /**
   * Warns if a starter does not fit.
   *
   * @param starter its artifact
   * @param major version of Spring Boot that it is made for
   */
  public static void warn(String starter, int major) {
    String message = message(starter, major, SpringBootVersion.getVersion());
    if (message != null) {
      LogFactory.getLog("io.poolkeeper.spring").warn(message);
    }
  }

  /** Returns the warning; null if the starter fits. */
  static @Nullable String message(String starter, int major, String version) {
    return version.startsWith(major + ".")
        ? null
        : ("%s is made for Spring Boot %d, but this is %s: it does not tune the web server. Use %s"
                + " in its place")
            .formatted(
                starter,
                major,
                version,
                version.startsWith("3.")
                    ? "poolkeeper-spring-boot3-starter"
                    : "poolkeeper-spring-boot-starter");
  }
}
