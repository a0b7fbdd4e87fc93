package io.poolkeeper;

import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/** A resource of which only the getter and the setter of the size are known. */
record PlainResizable(String name, Bounds bounds, IntSupplier getter, IntConsumer setter)
    implements Resizable {

  PlainResizable {
    if (Objects.requireNonNull(name, "name must not be null").isBlank()) {
      throw new IllegalArgumentException("name must not be blank");
    }
    Objects.requireNonNull(bounds, "bounds must not be null");
    Objects.requireNonNull(getter, "getter must not be null");
    Objects.requireNonNull(setter, "setter must not be null");
  }

  @Override
  public int size() {
    return getter.getAsInt();
  }

  @Override
  public void resize(int size) {
    setter.accept(bounds.require("size", size));
  }
}
