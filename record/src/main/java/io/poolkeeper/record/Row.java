package io.poolkeeper.record;

import io.poolkeeper.Window;
import java.io.IOException;
import java.util.List;

/** The cells of one line, by the names of their columns. */
record Row(Header header, int number, List<String> cells) {

  /** The cell as it stands; empty if there is no such column. */
  String text(String column) {
    int place = header.place(column);
    return place < 0 ? "" : cells.get(place);
  }

  /** A whole number; where nothing was measured, {@link Window#NOT_MEASURED}. */
  long measured(String column) throws IOException {
    return text(column).isEmpty() ? Window.NOT_MEASURED : whole(column);
  }

  /** A whole number, 0 or more. */
  long whole(String column) throws IOException {
    long value = instant(column);
    if (value < 0) {
      throw wrong(column + " must be >= 0, but is " + text(column));
    }
    return value;
  }

  /** A whole number of workers or tasks at once. */
  int size(String column) throws IOException {
    long value = whole(column);
    if (value > Integer.MAX_VALUE) {
      throw wrong("%s must be <= %d, but is %d".formatted(column, Integer.MAX_VALUE, value));
    }
    return (int) value;
  }

  /** Nanoseconds on a clock whose zero is anywhere, so they may be below it. */
  long instant(String column) throws IOException {
    try {
      return Long.parseLong(text(column));
    } catch (NumberFormatException e) {
      throw wrong(column + " must be a whole number, but is '" + text(column) + "'");
    }
  }

  /** A decimal number, 0 or more; NaN where nothing was measured. */
  double decimal(String column) throws IOException {
    if (text(column).isEmpty()) {
      return Double.NaN;
    }
    double value;
    try {
      value = Double.parseDouble(text(column));
    } catch (NumberFormatException e) {
      throw wrong(column + " must be a number, but is '" + text(column) + "'");
    }
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw wrong(column + " must be a finite number >= 0, but is " + text(column));
    }
    return value;
  }

  IOException wrong(String what) {
    return header.wrong(number, what);
  }
}
