package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.ControlLoop;
import io.poolkeeper.PoolMXBean;
import io.poolkeeper.controllers.ResponseCurveController;
import io.poolkeeper.controllers.StepController;
import io.poolkeeper.spi.Resumable;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The metadata for native images names all that the library reads by reflection: records that a
 * memory keeps, fields behind variable handles, the interface of the managed bean. After a change
 * run this test with {@code -Dapi.update=true}, which writes the file anew.
 */
final class NativeImageMetadataTest {

  private static final Path FILE =
      Path.of(
          "src/main/resources/META-INF/native-image/io.poolkeeper/poolkeeper-core/reflect-config.json");

  private static final String RECORD =
      "\"allDeclaredConstructors\": true, \"allDeclaredMethods\": true, \"allRecordComponents\": true";

  /** Controllers whose state a memory keeps. */
  private static final List<Class<? extends Record>> STATES =
      List.of(ResponseCurveController.State.class, StepController.State.class);

  private final Map<String, String> entries = new TreeMap<>();

  @Test
  void reflectionIsThatOfTheFile() throws Exception {
    STATES.forEach(this::addRecords);
    entries.put(PoolMXBean.class.getName(), "\"allPublicMethods\": true");
    for (Class<?> type : classes()) {
      addHandles(type);
    }
    String expected =
        entries.entrySet().stream()
            .map(entry -> "  {\"name\": \"%s\", %s}".formatted(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(",\n", "[\n", "\n]\n"));
    if (Boolean.getBoolean("api.update")) {
      Files.createDirectories(FILE.getParent());
      Files.writeString(FILE, expected);
    }
    assertThat(Files.readString(FILE))
        .as("reflection has changed? Run this test with -Dapi.update=true")
        .isEqualTo(expected);
  }

  @Test
  void allStatesOfControllersAreLookedAt() throws Exception {
    assertThat(classes())
        .filteredOn(type -> Resumable.class.isAssignableFrom(type) && !type.isInterface())
        .extracting(Class::getName)
        .containsExactlyInAnyOrderElementsOf(
            STATES.stream().map(state -> state.getDeclaringClass().getName()).toList());
  }

  private void addRecords(Type type) {
    if (type instanceof ParameterizedType generic) {
      Stream.of(generic.getActualTypeArguments()).forEach(this::addRecords);
    } else if (type instanceof Class<?> whole && whole.isRecord()) {
      if (entries.put(whole.getName(), RECORD) == null) {
        for (RecordComponent component : whole.getRecordComponents()) {
          addRecords(component.getGenericType());
        }
      }
    }
  }

  /**
   * Adds the fields behind the variable handles of a class: those of the type they are called on.
   */
  private void addHandles(Class<?> type) throws IllegalAccessException {
    for (Field field : type.getDeclaredFields()) {
      if (field.getType() == VarHandle.class && Modifier.isStatic(field.getModifiers())) {
        field.setAccessible(true);
        VarHandle handle = (VarHandle) field.get(null);
        if (!handle.coordinateTypes().isEmpty() && !handle.coordinateTypes().get(0).isArray()) {
          String owner = handle.coordinateTypes().get(0).getName();
          entries.put(owner, "\"allDeclaredFields\": true");
        }
      }
    }
  }

  private static Set<Class<?>> classes()
      throws IOException, URISyntaxException, ClassNotFoundException {
    Path root =
        Path.of(ControlLoop.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(root)) {
      files
          .map(file -> root.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .forEach(file -> names.add(file.substring(0, file.length() - 6).replace('/', '.')));
    }
    Set<Class<?>> classes = new LinkedHashSet<>();
    for (String name : names) {
      classes.add(Class.forName(name, false, ControlLoop.class.getClassLoader()));
    }
    return classes;
  }
}
