package io.poolkeeper.testbed.ntier.database;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A row of an answer: values by the names of their columns. */
public final class Row {

  private final Map<String, @Nullable Object> values;

  private Row(Map<String, @Nullable Object> values) {
    this.values = values;
  }

  static List<Row> all(ResultSet from) throws SQLException {
    ResultSetMetaData columns = from.getMetaData();
    int count = columns.getColumnCount();
    List<Row> rows = new ArrayList<>();
    while (from.next()) {
      Map<String, @Nullable Object> values = new HashMap<>();
      for (int i = 1; i <= count; i++) {
        values.put(columns.getColumnLabel(i), from.getObject(i));
      }
      rows.add(new Row(values));
    }
    return rows;
  }

  /** A whole number. */
  public int number(String column) {
    return ((Number) value(column)).intValue();
  }

  /** A text. */
  public String text(String column) {
    return (String) value(column);
  }

  /** A time. */
  public Timestamp time(String column) {
    return (Timestamp) value(column);
  }

  /** Whether the row has no value there. */
  public boolean isNull(String column) {
    return values.get(column) == null;
  }

  private Object value(String column) {
    return Objects.requireNonNull(values.get(column), column);
  }
}
