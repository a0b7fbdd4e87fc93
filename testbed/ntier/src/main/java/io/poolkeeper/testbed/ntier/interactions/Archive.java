package io.poolkeeper.testbed.ntier.interactions;

import io.poolkeeper.testbed.ntier.database.Row;
import io.poolkeeper.testbed.ntier.database.Session;
import io.poolkeeper.testbed.ntier.web.Refusal;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The two places of a story and its comments. A story that is published takes the oldest current
 * one out into the archive, comments and all, so the tables of current ones keep their size.
 *
 * <p>Transactions lock in one order, so none can wait for another in a circle: a submission, a
 * story, its comments, users.
 */
enum Archive {
  CURRENT("stories", "comments"),
  OLD("old_stories", "old_comments");

  /** After so many others were faster, something else is wrong. */
  private static final int TRIES = 10;

  private final String stories;
  private final String comments;

  Archive(String stories, String comments) {
    this.stories = stories;
    this.comments = comments;
  }

  /** Table of stories. */
  String stories() {
    return stories;
  }

  /** A statement about the tables of this place, for one about {@code ${comments}}. */
  String in(String sql) {
    return sql.replace("${comments}", comments).replace("${stories}", stories);
  }

  /**
   * Keeps a story where it is until the transaction ends.
   *
   * @return where it is; empty if there is no such story
   */
  static Optional<Archive> hold(Session session, int story) throws SQLException {
    for (Archive each : values()) {
      if (session
          .first(each.in("select 1 from ${stories} where id = ? for key share"), story)
          .isPresent()) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }

  /** Moves the oldest current story to the archive. */
  static void retireOldest(Session session) throws SQLException {
    Optional<Row> oldest = lockOldest(session, CURRENT.stories);
    if (oldest.isEmpty()) {
      return;
    }
    int id = oldest.get().number("id");
    // What is deleted is moved, and not what was read before: a rating may change in between.
    session.update(
        """
        with moved as (delete from comments where story = ? returning *)
        insert into old_comments select * from moved
        """,
        id);
    session.update(
        """
        with moved as (delete from stories where id = ? returning *)
        insert into old_stories select * from moved
        """,
        id);
  }

  /**
   * Locks the row with the smallest id.
   *
   * @param table of stories or submissions
   * @return the row; empty if the table is
   */
  static Optional<Row> lockOldest(Session session, String table) throws SQLException {
    for (int i = 0; i < TRIES; i++) {
      Optional<Row> oldest =
          session.first("select * from " + table + " order by id limit 1 for update");
      // The row that was the oldest may be gone when its lock is to be had.
      if (oldest.isPresent() || session.first("select 1 from " + table + " limit 1").isEmpty()) {
        return oldest;
      }
    }
    throw Refusal.conflict("others work on the same " + table + "; try again");
  }
}
