package io.poolkeeper.testbed.ntier.board;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.poolkeeper.testbed.ntier.PostgresServer;
import io.poolkeeper.testbed.ntier.data.Boards;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages that only read, and the admin port. */
class ReadingTest {

  private static PostgresServer postgres;
  private static BoardProcess board;

  @BeforeAll
  static void start() throws Exception {
    postgres = PostgresServer.shared();
    board = new BoardProcess(Boards.small(postgres), 20, 4, Duration.ofSeconds(30));
  }

  @AfterAll
  static void stop() {
    if (board != null) {
      board.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/, StoriesOfTheDay 10",
    "/StoriesOfTheDay, StoriesOfTheDay 10",
    "/Browse, Browse",
    "/BrowseCategories, BrowseCategories 20",
    "/BrowseStoriesInCategory?category=3, BrowseStoriesInCategory 3",
    "/BrowseStoriesInCategory?category=3&page=2, BrowseStoriesInCategory 3",
    "/OlderStories, OlderStories 0",
    "/OlderStories?page=44, OlderStories 44",
    "/ViewStory?story=1, ViewStory 1",
    "/ViewStory?story=500, ViewStory 500",
    "/ViewComment?comment=1, ViewComment 1",
    "/ViewComment?comment=5000, ViewComment 5000",
    "/PostComment?story=17, PostComment 17",
    "/PostComment?comment=17, PostComment 17",
    "/ModerateComment?comment=17, ModerateComment 17",
    "/Search, Search",
    "/SearchInStories?text=thread+pool, SearchInStories thread pool",
    "/SearchInComments?text=server, SearchInComments server",
    "/SearchInUsers?text=user1, SearchInUsers user1",
    "/Register, Register",
    "/SubmitStory, SubmitStory 20",
    "/AuthorLogin, AuthorLogin",
    "/ReviewStories, ReviewStories 10",
  })
  void endsWithTheLineThatCanBeChecked(String path, String line) throws Exception {
    HttpResponse<String> answer = board.get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).endsWith("<p class=\"done\">" + line + "</p>\n</body></html>\n");
  }

  @Test
  void findsWordsInTitles() throws Exception {
    assertThat(board.get("/SearchInStories?text=server").body()).contains("/ViewStory?story=");
    assertThat(board.get("/SearchInStories?text=nowhere").body()).doesNotContain("/ViewStory");
    assertThat(board.get("/SearchInUsers?text=user499").body()).contains("<p>user499, rated ");
    // No wildcards of the user's own.
    assertThat(board.get("/SearchInUsers?text=%25499").body()).doesNotContain("rated");
  }

  @Test
  void passesTheIdOfARequestToTheDatabase() throws Exception {
    var answer = board.send(board.request("/ViewStory?story=7").header("X-Request-Id", "a@b-7"));
    assertThat(answer.headers().firstValue("X-Request-Id")).hasValue("a@b-7");
    assertThat(Files.readString(postgres.log())).contains("/* a@b-7 */ select s.id, s.title");
    assertThat(board.get("/Browse").headers().firstValue("X-Request-Id")).isPresent();
  }

  @Test
  void countsRequestsConnectionsAndStatements() throws Exception {
    JsonNode before = board.idleTier();
    board.get("/ViewStory?story=500"); // A current story: found at the first try.
    board.get("/Browse");
    board.get("/ViewStory?story=501");
    JsonNode after = board.idleTier();
    assertThat(after.get("requests").asLong() - before.get("requests").asLong()).isEqualTo(3);
    assertThat(after.get("errors").asLong() - before.get("errors").asLong()).isEqualTo(1);
    assertThat(after.get("connection_uses").asLong() - before.get("connection_uses").asLong())
        .isEqualTo(2);
    assertThat(after.get("statements").asLong() - before.get("statements").asLong())
        .isEqualTo(3 + 2);
    assertThat(after.get("connection_held_nanos").asLong())
        .isGreaterThan(before.get("connection_held_nanos").asLong());
    assertThat(after.get("response_nanos").asLong())
        .isGreaterThan(before.get("response_nanos").asLong());
    assertThat(after.get("threads").asInt()).isEqualTo(20);
    assertThat(after.get("connections").asInt()).isEqualTo(4);
    assertThat(after.get("waiting").asInt()).isZero();
  }

  @Test
  void resizesBothPools() throws Exception {
    assertThat(board.admin("POST", "/size?threads=7&connections=3").body())
        .isEqualTo("{\"threads\":7,\"connections\":3}");
    assertThat(board.admin("POST", "/size?threads=20").body())
        .isEqualTo("{\"threads\":20,\"connections\":3}");
    assertThat(board.admin("POST", "/size?threads=5&connections=0").body())
        .contains("connections must be")
        .contains("0");
    assertThat(board.admin("POST", "/size?thread=5").body()).contains("did you mean 'threads'");
    assertThat(board.admin("POST", "/size").statusCode()).isEqualTo(400);
    assertThat(board.tier().get("threads").asInt()).isEqualTo(20);
    board.admin("POST", "/size?connections=4");
  }
}
