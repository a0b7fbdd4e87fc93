package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Part of the busy threads that hold a connection, window by window. */
final class ConnectionShareTest {

  private final ConnectionShare share = new ConnectionShare();

  /** Adds windows and returns in which of them the work was told to be another; -1 if in none. */
  private int changes(int windows, double threads, double part) {
    for (int i = 0; i < windows; i++) {
      if (share.changes(threads, part)) {
        return i;
      }
    }
    return -1;
  }

  /** A third of 15 threads, and then three quarters: the database at half its speed. */
  @Test
  void anotherPartAtTheSameSizeIsOtherWork() {
    assertThat(changes(40, 15, 0.34)).isEqualTo(-1);
    assertThat(changes(15, 15, 0.77)).as("may be a stall").isEqualTo(-1);
    assertThat(changes(1, 15, 0.77)).isZero();
    assertThat(changes(40, 15, 0.77)).as("the usual one from now on").isEqualTo(-1);
  }

  @Test
  void windowsOfTheOldWorkInBetweenAreAnAllClear() {
    changes(40, 15, 0.34);
    for (int i = 0; i < 10; i++) {
      assertThat(changes(15, 15, 0.77)).isEqualTo(-1);
      assertThat(changes(1, 15, 0.34)).isEqualTo(-1);
    }
  }

  /** Processors are the limit: five connections are in use, however many threads there are. */
  @Test
  void anotherSizeHasAPartOfItsOwn() {
    changes(40, 15, 0.34);
    assertThat(changes(5, 64, 0.08)).as("a visit").isEqualTo(-1);
    assertThat(changes(16, 15, 0.77)).as("of before").isEqualTo(15);
    changes(40, 15, 0.77);
    assertThat(changes(100, 64, 0.08)).as("a size to stay").isEqualTo(-1);
    assertThat(changes(16, 64, 0.2)).isEqualTo(15);
  }

  @Test
  void tooFewWindowsMakeNothingUsual() {
    changes(10, 15, 0.34);
    assertThat(changes(15, 15, 0.77)).isEqualTo(-1);
  }

  @Test
  void whatIsNoShareIsNoWindow() {
    changes(40, 15, 0.34);
    assertThat(changes(40, 15, Double.NaN)).isEqualTo(-1);
    assertThat(changes(40, 15, Double.POSITIVE_INFINITY)).isEqualTo(-1);
    assertThat(changes(40, 0, 0.9)).isEqualTo(-1);
    assertThat(changes(40, 15, -1)).isEqualTo(-1);
    assertThat(changes(16, 15, 0.77)).isEqualTo(15);
  }
}
