package io.poolkeeper.testbed.applications;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Report over a large result, which comes in pages and is held whole until it is summed up: about 5
 * MB for about a tenth of a second. Many at once fill the heap, and garbage collection takes the
 * processors. A page takes a wait, as of a remote store.
 */
final class Report implements Application {

  static final int PAGES = 10;
  static final int ROWS_PER_PAGE = 800;
  private static final int TEXT_BYTES = 560;
  private static final long PAGE_WAIT_MILLIS = 8;

  private final Draws draws;

  Report(Draws draws) {
    this.draws = draws;
  }

  /** A row of the result; with its text it takes about 600 bytes of the heap. */
  private static final class Row {
    private final long id;
    private final double amount;
    private final byte[] text = new byte[TEXT_BYTES];

    Row(long id, double amount) {
      this.id = id;
      this.amount = amount;
      text[(int) (id % TEXT_BYTES)] = (byte) id;
    }
  }

  @Override
  public String answer() throws InterruptedException {
    SplittableRandom random = draws.next();
    List<Row> rows = new ArrayList<>();
    for (int page = 0; page < PAGES; page++) {
      TimeUnit.MILLISECONDS.sleep(PAGE_WAIT_MILLIS);
      for (int i = 0; i < ROWS_PER_PAGE; i++) {
        rows.add(new Row(rows.size(), random.nextDouble()));
      }
    }
    double sum = 0;
    long letters = 0;
    for (Row row : rows) {
      sum += row.amount;
      letters += row.text[(int) (row.id % TEXT_BYTES)];
    }
    return rows.size() + " rows, " + sum + ", " + letters;
  }
}
