package io.poolkeeper.testbed.ntier.interactions;

import io.poolkeeper.testbed.ntier.database.Row;
import io.poolkeeper.testbed.ntier.database.Session;
import io.poolkeeper.testbed.ntier.web.Call;
import io.poolkeeper.testbed.ntier.web.Page;
import io.poolkeeper.testbed.ntier.web.Refusal;
import java.sql.SQLException;
import java.util.Optional;

/** Ratings of comments by moderators, which count for their writers as well. */
final class ModerationPages {

  private ModerationPages() {}

  static String moderateComment(Call call) throws SQLException {
    int id = call.parameters().number("comment");
    Row comment = call.ask(session -> CommentPages.find(session, id).comment());
    return new Page("Moderate " + comment.text("subject"))
        .text("rated " + comment.number("rating"))
        .text(comment.text("body"))
        .form("post", "/StoreModerateLog", "comment=" + id, "rating=0", "nickname", "password")
        .done("ModerateComment", id);
  }

  /** Adds {@code rating}, -1 to 1, to the rating of a comment, which stays within -1..5. */
  static String storeModerateLog(Call call) throws SQLException {
    int id = call.parameters().number("comment");
    call.parameters().text("rating");
    int change = call.parameters().number("rating", -1, 1, 0);
    int rating =
        call.change(
            session -> {
              int moderator = UserPages.loginAuthor(call, session).number("id");
              Row comment = rate(session, id, change);
              session.update(
                  "update users set rating = rating + ? where id = ?",
                  change,
                  comment.number("writer"));
              session.update(
                  """
                  insert into moderator_log (moderator, comment, rating, written)
                  values (?, ?, ?, ?)
                  """,
                  moderator,
                  id,
                  change,
                  Call.now());
              return comment.number("rating");
            });
    return new Page("Moderated")
        .link("/ViewComment?comment=" + id, "The comment", "rated " + rating)
        .done("StoreModerateLog", id);
  }

  private static Row rate(Session session, int id, int change) throws SQLException {
    for (Archive archive : Archive.values()) {
      Optional<Row> comment =
          session.first(
              archive.in(
                  """
                  update ${comments} set rating = greatest(-1, least(5, rating + ?)) where id = ?
                  returning writer, rating
                  """),
              change,
              id);
      if (comment.isPresent()) {
        return comment.get();
      }
    }
    throw Refusal.notFound("comment", id);
  }
}
