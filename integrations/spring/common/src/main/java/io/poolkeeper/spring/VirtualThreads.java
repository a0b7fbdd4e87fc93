package io.poolkeeper.spring;

import org.springframework.core.env.Environment;

/** The setting with which Spring Boot runs requests on virtual threads. */
public final class VirtualThreads {

  /** First version of Java with virtual threads. */
  private static final int FIRST = 21;

  private VirtualThreads() {}

  /** Returns whether they are asked for, and there are some. */
  public static boolean enabled(Environment environment) {
    return environment.getProperty("spring.threads.virtual.enabled", boolean.class, false)
        && Runtime.version().feature() >= FIRST;
  }
}
