package io.poolkeeper.launcher;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Class loader of javac's plugins that lasts as long as Maven. javac makes a loader for each
 * compilation, so that Error Prone is loaded, and compiled to machine code, for the classes and
 * again for the tests of every module.
 *
 * <p>javac takes a loader by its name, from the boot class path of the program that it runs in.
 */
public final class ProcessorLoader extends URLClassLoader {

  private static final Map<List<String>, ClassLoader> LOADERS = new ConcurrentHashMap<>();

  /** Called by javac, which closes it after the compilation. */
  public ProcessorLoader(URL[] path, ClassLoader parent) {
    super(new URL[0], lasting(path, parent));
  }

  private static ClassLoader lasting(URL[] path, ClassLoader parent) {
    List<String> key = Arrays.stream(path).map(URL::toString).toList();
    return LOADERS.computeIfAbsent(key, unused -> new URLClassLoader(path, parent));
  }
}
