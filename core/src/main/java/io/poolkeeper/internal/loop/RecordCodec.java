package io.poolkeeper.internal.loop;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Encodes records as bytes. Components may be int, long, double, boolean, String, enums, records,
 * lists and maps of these; all but primitives may be null.
 */
final class RecordCodec {

  /** Largest list or map that is read, so that damaged bytes cannot exhaust the memory. */
  private static final int LARGEST = 100_000;

  private RecordCodec() {}

  /**
   * Returns names and types of all components, those of nested records included. A class of the
   * same shape can read the bytes of a record.
   *
   * @throws IllegalArgumentException if a component has a type that cannot be written
   */
  static String shape(Class<? extends Record> type) {
    Set<String> shapes = new LinkedHashSet<>();
    addShape(type, shapes);
    return String.join("\n", shapes);
  }

  private static void addShape(Type type, Set<String> shapes) {
    if (type instanceof ParameterizedType generic) {
      Stream.of(generic.getActualTypeArguments()).forEach(inner -> addShape(inner, shapes));
    } else if (type instanceof Class<?> whole && whole.isRecord()) {
      StringBuilder shape = new StringBuilder(whole.getSimpleName());
      for (RecordComponent component : whole.getRecordComponents()) {
        shape.append(' ').append(component.getGenericType().getTypeName());
        shape.append(' ').append(component.getName());
      }
      if (shapes.add(shape.toString())) {
        Stream.of(whole.getRecordComponents())
            .forEach(component -> addShape(component.getGenericType(), shapes));
      }
    } else if (type instanceof Class<?> whole && whole.isEnum()) {
      shapes.add(whole.getSimpleName() + List.of(whole.getEnumConstants()));
    } else if (!List.of(int.class, long.class, double.class, boolean.class).contains(type)
        && !List.of(Integer.class, Long.class, Double.class, Boolean.class).contains(type)
        && type != String.class) {
      throw new IllegalArgumentException(type + " cannot be written");
    }
  }

  static byte[] encode(Record value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(out, value);
    } catch (IOException e) {
      throw new IllegalStateException("an array in memory failed", e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, @Nullable Object value) throws IOException {
    out.writeBoolean(value != null);
    if (value instanceof Integer number) {
      out.writeInt(number);
    } else if (value instanceof Long number) {
      out.writeLong(number);
    } else if (value instanceof Double number) {
      out.writeDouble(number);
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value instanceof String text) {
      out.writeUTF(text);
    } else if (value instanceof Enum<?> constant) {
      out.writeUTF(constant.name());
    } else if (value instanceof List<?> list) {
      out.writeInt(list.size());
      for (Object element : list) {
        write(out, element);
      }
    } else if (value instanceof Map<?, ?> map) {
      out.writeInt(map.size());
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        write(out, entry.getKey());
        write(out, entry.getValue());
      }
    } else if (value instanceof Record inner) {
      for (RecordComponent component : inner.getClass().getRecordComponents()) {
        write(out, component(inner, component));
      }
    }
  }

  private static @Nullable Object component(Record of, RecordComponent component) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component + " cannot be read", e);
    }
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IOException if the bytes are not such a record
   */
  static <R extends Record> R decode(Class<R> type, byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      Object value = read(in, type);
      if (value == null || in.read() >= 0) {
        throw new IOException("not a " + type.getSimpleName());
      }
      return type.cast(value);
    }
  }

  private static @Nullable Object read(DataInputStream in, Type type) throws IOException {
    if (!in.readBoolean()) {
      return null;
    }
    if (type instanceof ParameterizedType generic) {
      Type[] inner = generic.getActualTypeArguments();
      return inner.length == 1 ? readList(in, inner[0]) : readMap(in, inner[0], inner[1]);
    }
    if (type == int.class || type == Integer.class) {
      return in.readInt();
    } else if (type == long.class || type == Long.class) {
      return in.readLong();
    } else if (type == double.class || type == Double.class) {
      return in.readDouble();
    } else if (type == boolean.class || type == Boolean.class) {
      return in.readBoolean();
    } else if (type == String.class) {
      return in.readUTF();
    }
    Class<?> whole = (Class<?>) type;
    return whole.isEnum() ? readConstant(in, whole) : readRecord(in, whole);
  }

  private static Object readConstant(DataInputStream in, Class<?> type) throws IOException {
    String name = in.readUTF();
    for (Object constant : Objects.requireNonNull(type.getEnumConstants())) {
      if (((Enum<?>) constant).name().equals(name)) {
        return constant;
      }
    }
    throw new IOException("no " + type.getSimpleName() + " " + name);
  }

  private static int readSize(DataInputStream in) throws IOException {
    int size = in.readInt();
    if (size < 0 || size > LARGEST) {
      throw new IOException("a list of " + size);
    }
    return size;
  }

  private static List<@Nullable Object> readList(DataInputStream in, Type type) throws IOException {
    int size = readSize(in);
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      list.add(read(in, type));
    }
    return list;
  }

  private static Map<@Nullable Object, @Nullable Object> readMap(
      DataInputStream in, Type key, Type value) throws IOException {
    int size = readSize(in);
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) {
      map.put(read(in, key), read(in, value));
    }
    return map;
  }

  private static Object readRecord(DataInputStream in, Class<?> type) throws IOException {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    @Nullable Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = read(in, components[i].getGenericType());
    }
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IOException("no " + type.getSimpleName(), e);
    }
  }
}
