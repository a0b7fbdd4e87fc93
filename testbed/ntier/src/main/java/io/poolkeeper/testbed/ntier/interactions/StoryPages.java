package io.poolkeeper.testbed.ntier.interactions;

import io.poolkeeper.testbed.ntier.database.Row;
import io.poolkeeper.testbed.ntier.database.Session;
import io.poolkeeper.testbed.ntier.web.Call;
import io.poolkeeper.testbed.ntier.web.Page;
import io.poolkeeper.testbed.ntier.web.Refusal;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Stories, current and old. */
final class StoryPages {

  private static final int PAGE = 10;
  private static final int LAST_PAGE = 10_000;
  private static final int ABSTRACT = 200;

  /** Stories of one of both tables, with the nickname of the writer. */
  private static final String STORIES =
      """
      select s.id, s.title, s.body, s.written, u.nickname, c.name as category
      from %s s join users u on u.id = s.writer join categories c on c.id = s.category
      """;

  private StoryPages() {}

  static String storiesOfTheDay(Call call) throws SQLException {
    record Found(List<Row> stories, Map<Integer, Integer> comments) {}
    Found found =
        call.ask(
            session ->
                new Found(
                    session.query(
                        STORIES.formatted("stories") + "order by s.written desc limit ?", PAGE),
                    session
                        .query(
                            """
                            select story, count(*) as comments from comments
                            where story in (select id from stories order by written desc limit ?)
                            group by story
                            """,
                            PAGE)
                        .stream()
                        .collect(
                            Collectors.toMap(
                                row -> row.number("story"), row -> row.number("comments")))));
    Page page = new Page("Stories of the day");
    for (Row story : found.stories()) {
      int comments = found.comments().getOrDefault(story.number("id"), 0);
      link(page, story, comments + " comments");
      String body = story.text("body");
      page.text(body.substring(0, Math.min(ABSTRACT, body.length())));
    }
    return page.done("StoriesOfTheDay", found.stories().size());
  }

  static String browse(Call call) {
    return new Page("Browse")
        .link("/BrowseCategories", "By category", "")
        .link("/OlderStories", "Older stories", "")
        .done("Browse");
  }

  static String browseCategories(Call call) throws SQLException {
    List<Row> categories =
        call.ask(
            session ->
                session.query(
                    """
                    select c.id, c.name, count(s.id) as stories
                    from categories c left join stories s on s.category = c.id
                    group by c.id order by c.name
                    """));
    Page page = new Page("Categories");
    for (Row category : categories) {
      page.link(
          "/BrowseStoriesInCategory?category=" + category.number("id"),
          category.text("name"),
          category.number("stories") + " stories");
    }
    return page.done("BrowseCategories", categories.size());
  }

  static String browseStoriesInCategory(Call call) throws SQLException {
    int category = call.parameters().number("category");
    int number = pageNumber(call);
    record Found(String name, List<Row> stories) {}
    Found found =
        call.ask(
            session ->
                new Found(
                    session
                        .first("select name from categories where id = ?", category)
                        .orElseThrow(() -> Refusal.notFound("category", category))
                        .text("name"),
                    session.query(
                        STORIES.formatted("stories")
                            + "where s.category = ? order by s.written desc limit ? offset ?",
                        category,
                        PAGE,
                        number * PAGE)));
    Page page = new Page("Stories about " + found.name());
    found.stories().forEach(story -> link(page, story, ""));
    turn(page, "/BrowseStoriesInCategory?category=" + category + "&page=", number);
    return page.done("BrowseStoriesInCategory", category);
  }

  static String olderStories(Call call) throws SQLException {
    int number = pageNumber(call);
    List<Row> stories =
        call.ask(
            session ->
                session.query(
                    STORIES.formatted("old_stories") + "order by s.written desc limit ? offset ?",
                    PAGE,
                    number * PAGE));
    Page page = new Page("Older stories");
    stories.forEach(story -> link(page, story, ""));
    turn(page, "/OlderStories?page=", number);
    return page.done("OlderStories", number);
  }

  static String viewStory(Call call) throws SQLException {
    int id = call.parameters().number("story");
    record Found(Row story, List<Row> ratings, List<Row> comments) {}
    Found found =
        call.ask(
            session -> {
              Archive archive = Archive.CURRENT;
              Optional<Row> story = find(session, archive, id);
              if (story.isEmpty()) {
                archive = Archive.OLD;
                story = find(session, archive, id);
              }
              return new Found(
                  story.orElseThrow(() -> Refusal.notFound("story", id)),
                  session.query(
                      archive.in(
                          """
                          select rating, count(*) as comments from ${comments} where story = ?
                          group by rating order by rating
                          """),
                      id),
                  session.query(
                      archive.in(
                          """
                          select c.id, c.subject, c.children, c.rating, u.nickname
                          from ${comments} c join users u on u.id = c.writer
                          where c.story = ? and c.parent is null order by c.id limit 50
                          """),
                      id));
            });
    Row story = found.story();
    Page page =
        new Page(story.text("title"))
            .text("%s, by %s".formatted(story.text("category"), story.text("nickname")))
            .text(story.text("body"))
            .link("/PostComment?story=" + id, "Comment on this", "");
    for (Row rating : found.ratings()) {
      page.text(
          "%d comments rated %d".formatted(rating.number("comments"), rating.number("rating")));
    }
    found.comments().forEach(comment -> CommentPages.link(page, comment));
    return page.done("ViewStory", id);
  }

  private static Optional<Row> find(Session session, Archive archive, int id) throws SQLException {
    return session.first(STORIES.formatted(archive.stories()) + "where s.id = ?", id);
  }

  private static int pageNumber(Call call) {
    return call.parameters().number("page", 0, LAST_PAGE, 0);
  }

  static void link(Page page, Row story, String note) {
    page.link(
        "/ViewStory?story=" + story.number("id"),
        story.text("title"),
        "by %s %s".formatted(story.text("nickname"), note));
  }

  /** Adds links to the pages before and after. */
  static void turn(Page page, String address, int number) {
    if (number > 0) {
      page.link(address + (number - 1), "Before", "");
    }
    page.link(address + (number + 1), "More", "");
  }
}
