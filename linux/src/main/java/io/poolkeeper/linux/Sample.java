package io.poolkeeper.linux;

import java.util.Optional;
import java.util.function.Function;

/**
 * An answer of the kernel: a value, or the reason why there is none. A counter that cannot be read
 * is therefore never taken for a zero that was measured.
 *
 * @param <T> type of the value
 */
public sealed interface Sample<T> permits Sample.Value, Sample.Missing {

  /**
   * A value that was read.
   *
   * @param value the value
   */
  record Value<T>(T value) implements Sample<T> {}

  /**
   * The absence of a value.
   *
   * @param reason why there is none, as a person would say it
   */
  record Missing<T>(String reason) implements Sample<T> {}

  /** Makes a sample of a value. */
  static <T> Sample<T> of(T value) {
    return new Value<>(value);
  }

  /** Makes a sample without a value. */
  static <T> Sample<T> missing(String reason) {
    return new Missing<>(reason);
  }

  /** Returns the value, or empty where there is none. */
  default Optional<T> toOptional() {
    return this instanceof Value<T> present ? Optional.of(present.value()) : Optional.empty();
  }

  /** Returns the reason why there is no value, or empty where there is one. */
  default Optional<String> problem() {
    return this instanceof Missing<T> absent ? Optional.of(absent.reason()) : Optional.empty();
  }

  /** Applies a function to the value; a reason stays as it is. */
  default <R> Sample<R> map(Function<? super T, ? extends R> function) {
    return flatMap(value -> of(function.apply(value)));
  }

  /** Applies a function that may find a reason of its own. */
  default <R> Sample<R> flatMap(Function<? super T, Sample<R>> function) {
    return this instanceof Value<T> present
        ? function.apply(present.value())
        : missing(((Missing<T>) this).reason());
  }
}
