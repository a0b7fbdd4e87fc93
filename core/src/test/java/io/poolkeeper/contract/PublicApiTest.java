package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlLoop;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public names of the exported packages are those of a file. For a wanted change run this test
 * with {@code -Dapi.update=true}, which writes the file anew; its difference belongs to the commit.
 */
final class PublicApiTest {

  private static final Path FILE = Path.of("src/test/resources/public-api.txt");

  @Test
  void publicNamesAreThoseOfTheFile() throws Exception {
    List<String> api = new ArrayList<>();
    for (String name : exportedClasses()) {
      Class<?> type = Class.forName(name, false, getClass().getClassLoader());
      if (isVisible(type)) {
        describe(type, api);
      }
    }
    if (Boolean.getBoolean("api.update")) {
      Files.write(FILE, api);
    }
    assertThat(api)
        .as("a wanted change of the API? Run this test with -Dapi.update=true")
        .isEqualTo(Files.readAllLines(FILE));
  }

  private static List<String> exportedClasses() throws IOException, URISyntaxException {
    Path classes =
        Path.of(ControlLoop.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    ModuleDescriptor module;
    try (var descriptor = Files.newInputStream(classes.resolve("module-info.class"))) {
      module = ModuleDescriptor.read(descriptor);
    }
    List<String> names = new ArrayList<>();
    for (ModuleDescriptor.Exports exported : module.exports()) {
      try (Stream<Path> files = Files.list(classes.resolve(exported.source().replace('.', '/')))) {
        files
            .map(file -> file.getFileName().toString())
            .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
            .map(file -> exported.source() + "." + file.substring(0, file.length() - 6))
            .forEach(names::add);
      }
    }
    return names.stream().sorted().toList();
  }

  /** Public, and in public classes alone. */
  private static boolean isVisible(Class<?> type) {
    Class<?> outer = type.getDeclaringClass();
    return Modifier.isPublic(type.getModifiers()) && (outer == null || isVisible(outer));
  }

  private static void describe(Class<?> type, List<String> api) {
    // JDK 21 and later print these modifiers as well.
    api.add(type.toGenericString().replaceFirst("\\b(non-)?sealed ", ""));
    api.add("  extends " + type.getGenericSuperclass());
    Stream.of(type.getGenericInterfaces()).forEach(parent -> api.add("  implements " + parent));
    Stream.of(type.getDeclaredConstructors(), type.getDeclaredFields(), type.getDeclaredMethods())
        .flatMap(Arrays::stream)
        .filter(PublicApiTest::isForUsers)
        .map(member -> "  " + text(member))
        .sorted()
        .forEach(api::add);
  }

  private static boolean isForUsers(Member member) {
    return !member.isSynthetic()
        && (Modifier.isPublic(member.getModifiers())
            || Modifier.isProtected(member.getModifiers()));
  }

  private static String text(Member member) {
    if (member instanceof Field field) {
      return field.toGenericString();
    }
    return ((Executable) member).toGenericString();
  }
}
