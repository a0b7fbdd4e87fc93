package io.poolkeeper.testbed.ntier.interactions;

import io.poolkeeper.testbed.ntier.database.Row;
import io.poolkeeper.testbed.ntier.web.Call;
import io.poolkeeper.testbed.ntier.web.Page;
import java.sql.SQLException;
import java.util.List;

/** Searches, which the indexes of words and of the beginnings of nicknames answer. */
final class SearchPages {

  private static final int PAGE = 20;

  private SearchPages() {}

  static String search(Call call) {
    return new Page("Search")
        .form("get", "/SearchInStories", "text")
        .form("get", "/SearchInComments", "text")
        .form("get", "/SearchInUsers", "text")
        .done("Search");
  }

  static String searchInStories(Call call) throws SQLException {
    String text = call.parameters().text("text");
    List<Row> stories =
        call.ask(
            session ->
                session.query(
                    """
                    select s.id, s.title, u.nickname from (
                      select id, title, writer, written from stories
                      where to_tsvector('simple', title) @@ plainto_tsquery('simple', ?)
                      union all
                      select id, title, writer, written from old_stories
                      where to_tsvector('simple', title) @@ plainto_tsquery('simple', ?)) s
                    join users u on u.id = s.writer order by s.written desc limit ?
                    """,
                    text,
                    text,
                    PAGE));
    Page page = new Page("Stories about " + text);
    stories.forEach(story -> StoryPages.link(page, story, ""));
    return page.done("SearchInStories", text);
  }

  static String searchInComments(Call call) throws SQLException {
    String text = call.parameters().text("text");
    List<Row> comments =
        call.ask(
            session ->
                session.query(
                    """
                    select c.id, c.subject, c.children, c.rating, u.nickname from (
                      select id, subject, children, rating, writer from comments
                      where to_tsvector('simple', subject) @@ plainto_tsquery('simple', ?)
                      union all
                      select id, subject, children, rating, writer from old_comments
                      where to_tsvector('simple', subject) @@ plainto_tsquery('simple', ?)) c
                    join users u on u.id = c.writer order by c.id desc limit ?
                    """,
                    text,
                    text,
                    PAGE));
    Page page = new Page("Comments about " + text);
    comments.forEach(comment -> CommentPages.link(page, comment));
    return page.done("SearchInComments", text);
  }

  static String searchInUsers(Call call) throws SQLException {
    String text = call.parameters().text("text");
    String beginning = text.replaceAll("([\\\\%_])", "\\\\$1") + '%';
    List<Row> users =
        call.ask(
            session ->
                session.query(
                    """
                    select nickname, rating from users where nickname like ?
                    order by nickname limit ?
                    """,
                    beginning,
                    PAGE));
    Page page = new Page("Users named " + text);
    for (Row user : users) {
      page.text("%s, rated %d".formatted(user.text("nickname"), user.number("rating")));
    }
    return page.done("SearchInUsers", text);
  }
}
