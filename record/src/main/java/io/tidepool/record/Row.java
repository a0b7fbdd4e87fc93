package io.tidepool.record;

import io.tidepool.Window;
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

  long whole(String column) throws IOException {
    try {
      return Long.parseLong(text(column));
    } catch (NumberFormatException e) {
      throw header.wrong(number, column + " must be a whole number, but is '" + text(column) + "'");
    }
  }

  /** A decimal number; NaN where nothing was measured. */
  double decimal(String column) throws IOException {
    try {
      return text(column).isEmpty() ? Double.NaN : Double.parseDouble(text(column));
    } catch (NumberFormatException e) {
      throw header.wrong(number, column + " must be a number, but is '" + text(column) + "'");
    }
  }
}
