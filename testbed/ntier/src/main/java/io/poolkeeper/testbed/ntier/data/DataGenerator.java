package io.poolkeeper.testbed.ntier.data;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Makes the eight tables and fills them. Ids run from 1: users {@code 1..users}, of whom the first
 * are authors; stories {@code 1..stories}, of which the last tenth is current; comments {@code
 * 1..comments}, story by story, so that those of old stories come first. Nickname and password of
 * user {@code n} are {@code user<n>} and {@code password<n>}.
 *
 * <p>The rows depend on size and seed alone, times included: databases that are filled alike are
 * replicas of each other.
 */
public final class DataGenerator {

  /** The time of the oldest story; an hour lies between two. */
  private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");

  private static final int STORY_SECONDS = 3600;
  private static final int COMMENT_SECONDS = 60;

  /** Probability that a comment answers another one, rather than the story. */
  private static final double ANSWERS = 0.7;

  /** Moderations that stand in the log already, as a part of the comments. */
  private static final int COMMENTS_A_MODERATION = 10;

  private static final String STORY_COLUMNS = "(id, category, writer, title, body, written)";
  private static final String COMMENT_COLUMNS =
      "(id, story, parent, writer, children, rating, subject, body, written)";

  private final Connection connection;
  private final DataSize size;
  private final SplittableRandom random;
  private final TextGenerator texts;

  /**
   * @param connection to PostgreSQL itself; not through a pool that takes statements apart
   */
  public DataGenerator(Connection connection, DataSize size, long seed) {
    this.connection = connection;
    this.size = size;
    random = new SplittableRandom(seed);
    texts = new TextGenerator(random);
  }

  /** Whether the database holds a bulletin board already. */
  public static boolean exists(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("select to_regclass('stories') is not null")) {
      found.next();
      return found.getBoolean(1);
    }
  }

  /** Deletes the tables of a bulletin board, and what they hold. */
  public static void drop(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "drop table if exists moderator_log, comments, old_comments, submissions, stories,"
              + " old_stories, users, categories cascade");
      statement.execute("drop sequence if exists story_ids, comment_ids");
    }
  }

  /** Makes tables, rows and indexes in one transaction, and has them analysed. */
  public void run() throws SQLException, IOException {
    connection.setAutoCommit(false);
    execute(script("tables.sql"));
    copy("categories (id, name)", 1, DataSize.CATEGORIES, this::category);
    copy(
        "users (id, nickname, password, first_name, last_name, email, rating, access, registered)",
        1,
        size.users(),
        this::user);
    int oldStories = size.stories() - size.currentStories();
    copy("old_stories " + STORY_COLUMNS, 1, oldStories, this::story);
    copy("stories " + STORY_COLUMNS, oldStories + 1, size.stories(), this::story);
    Comments comments = new Comments();
    int oldComments = comments.before(oldStories + 1);
    copy("old_comments " + COMMENT_COLUMNS, 1, oldComments, comments::row);
    copy("comments " + COMMENT_COLUMNS, oldComments + 1, size.comments(), comments::row);
    copy(
        "submissions " + STORY_COLUMNS,
        size.stories() + 1,
        size.stories() + size.submissions(),
        this::story);
    copy(
        "moderator_log (id, moderator, comment, rating, written)",
        1,
        size.comments() / COMMENTS_A_MODERATION,
        this::moderation);
    execute(script("indexes.sql"));
    execute(
        """
        with all_comments as (
          select parent from comments union all select parent from old_comments),
        counted as (select parent, count(*) as children from all_comments group by parent),
        changed as (
          update comments set children = counted.children from counted
          where counted.parent = comments.id returning 1)
        update old_comments set children = counted.children from counted
        where counted.parent = old_comments.id
        """);
    execute("select setval('story_ids', %d)".formatted(size.stories() + size.submissions()));
    execute("select setval('comment_ids', %d)".formatted(size.comments()));
    for (String table : new String[] {"users", "moderator_log"}) {
      execute(
          "select setval(pg_get_serial_sequence('%1$s', 'id'), max(id)) from %1$s"
              .formatted(table));
    }
    connection.commit();
    connection.setAutoCommit(true);
    execute("vacuum analyze");
  }

  private static String script(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(DataGenerator.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void copy(String into, int first, int last, IntFunction<String> row) throws SQLException {
    CopyIn copy =
        connection.unwrap(PGConnection.class).getCopyAPI().copyIn("copy " + into + " from stdin");
    try {
      for (int id = first; id <= last; id++) {
        byte[] line = (row.apply(id) + '\n').getBytes(StandardCharsets.UTF_8);
        copy.writeToCopy(line, 0, line.length);
      }
      copy.endCopy();
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }

  private static String row(Object... values) {
    StringBuilder row = new StringBuilder();
    for (Object value : values) {
      row.append(row.isEmpty() ? "" : "\t").append(value);
    }
    return row.toString();
  }

  private String category(int id) {
    return row(id, TextGenerator.WORDS.get(id - 1));
  }

  private String user(int id) {
    String nickname = "user" + id;
    return row(
        id,
        nickname,
        Passwords.digest(nickname, "password" + id),
        texts.word(),
        texts.word(),
        nickname + "@example.org",
        random.nextInt(10),
        id <= size.authors() ? 1 : 0,
        EPOCH);
  }

  private String story(int id) {
    return row(
        id,
        random.nextInt(1, DataSize.CATEGORIES + 1),
        random.nextInt(1, size.users() + 1),
        texts.words(3, 8),
        texts.words(80, 200),
        EPOCH.plusSeconds((long) id * STORY_SECONDS));
  }

  private String moderation(int id) {
    return row(
        id,
        random.nextInt(1, size.authors() + 1),
        random.nextInt(1, size.comments() + 1),
        random.nextBoolean() ? 1 : -1,
        EPOCH.plusSeconds((long) size.stories() * STORY_SECONDS + id));
  }

  /** Comments in the order of their ids: those of a story follow each other and form its trees. */
  private final class Comments {

    private int story = 1;

    /** Id of the first comment of the current story. */
    private int firstOfStory = 1;

    /** Returns how many belong to the stories before this one: the stories share them evenly. */
    int before(int story) {
      return (int) ((long) (story - 1) * size.comments() / size.stories());
    }

    String row(int id) {
      while (id > before(story + 1)) {
        story++;
        firstOfStory = before(story) + 1;
      }
      boolean answers = id > firstOfStory && random.nextDouble() < ANSWERS;
      return DataGenerator.row(
          id,
          story,
          answers ? random.nextInt(firstOfStory, id) : "\\N",
          random.nextInt(1, size.users() + 1),
          0,
          random.nextInt(-1, 6),
          texts.words(2, 6),
          texts.words(10, 60),
          EPOCH.plusSeconds(
              (long) story * STORY_SECONDS + (long) (id - firstOfStory + 1) * COMMENT_SECONDS));
    }
  }
}
