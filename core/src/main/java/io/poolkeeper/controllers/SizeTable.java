package io.poolkeeper.controllers;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Mean throughput seen at each size, sorted by size. Immutable.
 *
 * @param rows sorted by size, one row a size
 */
public record SizeTable(List<Row> rows) {

  /** A table without rows. */
  public static final SizeTable EMPTY = new SizeTable(List.of());

  /** Copies {@code rows}. */
  public SizeTable {
    rows = List.copyOf(rows);
  }

  /**
   * One size.
   *
   * @param size workers
   * @param mean mean throughput of the windows at that size, per second
   * @param count number of windows
   */
  public record Row(int size, double mean, long count) {
    Row with(double throughput) {
      return new Row(size, (mean * count + throughput) / (count + 1), count + 1);
    }
  }

  /** Adds a window. */
  SizeTable with(int size, double throughput) {
    TreeMap<Integer, Row> bySize = new TreeMap<>();
    rows.forEach(row -> bySize.put(row.size(), row));
    bySize.merge(size, new Row(size, throughput, 1), (row, added) -> row.with(throughput));
    return new SizeTable(List.copyOf(bySize.values()));
  }

  /** Returns the first row for which {@code throughput} is at most half way to the next row. */
  Optional<Row> rowFor(double throughput) {
    for (int i = 0; i + 1 < rows.size(); i++) {
      if (throughput <= (rows.get(i).mean() + rows.get(i + 1).mean()) / 2) {
        return Optional.of(rows.get(i));
      }
    }
    return Optional.empty();
  }
}
