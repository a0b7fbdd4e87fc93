package io.poolkeeper.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The first line of {@code windows.csv}, which says where the cells of a row stand. */
final class Header {

  private final Path file;
  private final List<String> names;

  /**
   * @throws IOException naming the columns that are missing or there twice
   */
  Header(Path file, String line) throws IOException {
    this.file = file;
    names = cells(1, line);
    Set<String> missing = new LinkedHashSet<>(WindowColumns.required());
    missing.removeAll(names);
    if (!missing.isEmpty()) {
      throw wrong(1, "column missing: " + String.join(", ", missing));
    }
    Set<String> seen = new LinkedHashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw wrong(1, "names a column twice: " + name);
      }
    }
  }

  /**
   * One line of the file by columns.
   *
   * @throws IOException naming the line if it has not as many cells as this header
   */
  Row row(int number, String line) throws IOException {
    List<String> cells = cells(number, line);
    if (cells.size() != names.size()) {
      throw wrong(number, "has " + cells.size() + " cells, the header has " + names.size());
    }
    return new Row(this, number, cells);
  }

  /** Place of a column in a row, -1 if there is none. */
  int place(String column) {
    return names.indexOf(column);
  }

  IOException wrong(int line, String what) {
    return new IOException(file + ", line " + line + ": " + what);
  }

  /** Cells between commas; a quoted cell may hold commas, and quotes that stand twice. */
  private List<String> cells(int number, String line) throws IOException {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quoted && c == '"' && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append('"');
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    if (quoted) {
      throw wrong(number, "a quote is not closed");
    }
    cells.add(cell.toString());
    return cells;
  }
}
