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

/** Comments, which form a tree under each story. */
final class CommentPages {

  private CommentPages() {}

  /** A comment and the place where it was found. */
  record Found(Archive archive, Row comment) {}

  /** Finds a comment in either place, or refuses. */
  static Found find(Session session, int id) throws SQLException {
    for (Archive archive : Archive.values()) {
      Optional<Row> comment =
          session.first(
              archive.in(
                  """
                  select c.id, c.story, c.subject, c.body, c.children, c.rating, u.nickname
                  from ${comments} c join users u on u.id = c.writer where c.id = ?
                  """),
              id);
      if (comment.isPresent()) {
        return new Found(archive, comment.get());
      }
    }
    throw Refusal.notFound("comment", id);
  }

  static void link(Page page, Row comment) {
    page.link(
        "/ViewComment?comment=" + comment.number("id"),
        comment.text("subject"),
        "by %s, rated %d, %d answers"
            .formatted(
                comment.text("nickname"), comment.number("rating"), comment.number("children")));
  }

  static String viewComment(Call call) throws SQLException {
    int id = call.parameters().number("comment");
    record Discussion(Row comment, String title, List<Row> answers) {}
    Discussion discussion =
        call.ask(
            session -> {
              Found found = find(session, id);
              Archive archive = found.archive();
              return new Discussion(
                  found.comment(),
                  session
                      .first(
                          archive.in("select title from ${stories} where id = ?"),
                          found.comment().number("story"))
                      .map(row -> row.text("title"))
                      .orElse("a story that has just been moved to the archive"),
                  session.query(
                      archive.in(
                          """
                          with recursive tree as (
                            select *, 1 as depth from ${comments} where parent = ?
                            union all
                            select c.*, tree.depth + 1 from ${comments} c
                            join tree on c.parent = tree.id)
                          select t.id, t.subject, t.body, t.children, t.rating, u.nickname
                          from tree t join users u on u.id = t.writer
                          order by t.depth, t.id limit 50
                          """),
                      id));
            });
    Row comment = discussion.comment();
    Page page =
        new Page(comment.text("subject"))
            .link("/ViewStory?story=" + comment.number("story"), discussion.title(), "")
            .text("by %s, rated %d".formatted(comment.text("nickname"), comment.number("rating")))
            .text(comment.text("body"))
            .link("/PostComment?comment=" + id, "Answer", "")
            .link("/ModerateComment?comment=" + id, "Moderate", "");
    for (Row answer : discussion.answers()) {
      link(page, answer);
      page.text(answer.text("body"));
    }
    return page.done("ViewComment", id);
  }

  static String postComment(Call call) throws SQLException {
    Parameters parameters = call.parameters();
    if (parameters.has("comment")) {
      int id = parameters.number("comment");
      Row comment = call.ask(session -> find(session, id).comment());
      return new Page("Answer to " + comment.text("subject"))
          .text(comment.text("body"))
          .form("post", "/StoreComment", "comment=" + id, "nickname", "password", "subject", "body")
          .done("PostComment", id);
    }
    int id = parameters.number("story");
    Row story =
        call.ask(
            session ->
                session
                    .first(
                        """
                        select title from stories where id = ?
                        union all select title from old_stories where id = ?
                        """,
                        id,
                        id)
                    .orElseThrow(() -> Refusal.notFound("story", id)));
    return new Page("Comment on " + story.text("title"))
        .form("post", "/StoreComment", "story=" + id, "nickname", "password", "subject", "body")
        .done("PostComment", id);
  }

  /** Stores a comment on a {@code story}, or the answer to a {@code comment}. */
  static String storeComment(Call call) throws SQLException {
    Parameters parameters = call.parameters();
    boolean answer = parameters.has("comment");
    int target = parameters.number(answer ? "comment" : "story");
    String subject = parameters.text("subject");
    String body = parameters.text("body");
    int id =
        call.change(
            session -> {
              int writer = UserPages.login(call, session).number("id");
              int story = answer ? find(session, target).comment().number("story") : target;
              Archive archive =
                  Archive.hold(session, story).orElseThrow(() -> Refusal.notFound("story", story));
              if (answer
                  && session.update(
                          archive.in("update ${comments} set children = children + 1 where id = ?"),
                          target)
                      == 0) {
                throw Refusal.notFound("comment", target);
              }
              String insert =
                  """
                  insert into ${comments} (story, parent, writer, subject, body, written)
                  values (?, %s, ?, ?, ?, ?) returning id
                  """
                      .formatted(answer ? target : "null");
              return session
                  .query(archive.in(insert), story, writer, subject, body, Call.now())
                  .get(0)
                  .number("id");
            });
    return new Page("Stored")
        .link("/ViewComment?comment=" + id, subject, "")
        .done("StoreComment", target);
  }
}
