package io.poolkeeper.testbed.ntier.interactions;

import io.poolkeeper.testbed.ntier.database.Row;
import io.poolkeeper.testbed.ntier.database.Session;
import io.poolkeeper.testbed.ntier.web.Call;
import io.poolkeeper.testbed.ntier.web.Page;
import io.poolkeeper.testbed.ntier.web.Parameters;
import io.poolkeeper.testbed.ntier.web.Refusal;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Submitted stories, and the decisions of authors about them. */
final class SubmissionPages {

  private static final int PAGE = 10;

  /** In place of an id: the submission that waits longest. */
  private static final String NEXT = "next";

  private SubmissionPages() {}

  static String submitStory(Call call) throws SQLException {
    List<Row> categories =
        call.ask(session -> session.query("select id, name from categories order by name"));
    Page page = new Page("Submit a story");
    for (Row category : categories) {
      page.text("%d: %s".formatted(category.number("id"), category.text("name")));
    }
    return page.form("post", "/StoreStory", "category", "title", "body", "nickname", "password")
        .done("SubmitStory", categories.size());
  }

  /** Stores the story of an author among the stories, that of another user as a submission. */
  static String storeStory(Call call) throws SQLException {
    Parameters parameters = call.parameters();
    int category = parameters.number("category");
    String title = parameters.text("title");
    String body = parameters.text("body");
    boolean published =
        call.change(
            session -> {
              Row user = UserPages.login(call, session);
              if (session.first("select 1 from categories where id = ?", category).isEmpty()) {
                throw Refusal.notFound("category", category);
              }
              boolean author = user.number("access") > 0;
              session.update(
                  """
                  insert into %s (category, writer, title, body, written) values (?, ?, ?, ?, ?)
                  """
                      .formatted(author ? "stories" : "submissions"),
                  category,
                  user.number("id"),
                  title,
                  body,
                  Call.now());
              if (author) {
                Archive.retireOldest(session);
              }
              return author;
            });
    return new Page(published ? "Published" : "Submitted").text(title).done("StoreStory", category);
  }

  static String reviewStories(Call call) throws SQLException {
    List<Row> submissions =
        call.ask(
            session ->
                session.query(
                    """
                    select s.id, s.title, s.body, u.nickname
                    from submissions s join users u on u.id = s.writer order by s.id limit ?
                    """,
                    PAGE));
    Page page = new Page("Stories to review");
    for (Row submission : submissions) {
      int id = submission.number("id");
      page.heading(submission.text("title"))
          .text("by " + submission.text("nickname"))
          .text(submission.text("body"))
          .form("post", "/AcceptStory", "submission=" + id, "nickname", "password")
          .form("post", "/RejectStory", "submission=" + id, "nickname", "password");
    }
    return page.done("ReviewStories", submissions.size());
  }

  /** Makes a submission a story, which keeps its id. */
  static String acceptStory(Call call) throws SQLException {
    return decide(
        call,
        "AcceptStory",
        (session, id) -> {
          session.update(
              """
              with accepted as (delete from submissions where id = ? returning *)
              insert into stories (id, category, writer, title, body, written)
              select id, category, writer, title, body, ? from accepted
              """,
              id,
              Call.now());
          Archive.retireOldest(session);
        });
  }

  static String rejectStory(Call call) throws SQLException {
    return decide(
        call,
        "RejectStory",
        (session, id) -> session.update("delete from submissions where id = ?", id));
  }

  /** Changes that carry out a decision. */
  @FunctionalInterface
  private interface Decision {
    void carryOut(Session session, int id) throws SQLException;
  }

  private static String decide(Call call, String name, Decision decision) throws SQLException {
    boolean next = call.parameters().text("submission").equals(NEXT);
    int wanted = next ? 0 : call.parameters().number("submission");
    Optional<Row> decided =
        call.change(
            session -> {
              UserPages.loginAuthor(call, session);
              Optional<Row> submission =
                  next
                      ? Archive.lockOldest(session, "submissions")
                      : session.first("select * from submissions where id = ? for update", wanted);
              if (submission.isPresent()) {
                decision.carryOut(session, submission.get().number("id"));
              } else if (!next) {
                throw Refusal.notFound("submission", wanted);
              }
              return submission;
            });
    Page page = new Page("Reviewed");
    decided.ifPresent(row -> page.text(row.text("title")));
    return page.done(
        name, decided.map(row -> row.number("id")).map(String::valueOf).orElse("none"));
  }
}
