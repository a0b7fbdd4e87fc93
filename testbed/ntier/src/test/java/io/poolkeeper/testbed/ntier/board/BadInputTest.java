package io.poolkeeper.testbed.ntier.board;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testbed.ntier.PostgresServer;
import io.poolkeeper.testbed.ntier.data.Boards;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests and options that are wrong: a status and a line of text, never a stack. */
class BadInputTest {

  private static String url = "";
  private static BoardProcess board;

  @BeforeAll
  static void start() throws Exception {
    url = Boards.small(PostgresServer.shared());
    board = new BoardProcess(url, 5, 2, Duration.ofSeconds(30));
  }

  @AfterAll
  static void stop() {
    if (board != null) {
      board.close();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET|/ViewStory?story=501|404|there is no story 501",
        "GET|/ViewStory?story=-1|404|there is no story -1",
        "GET|/ViewStory|400|parameter 'story' is missing",
        "GET|/ViewStory?story=|400|parameter 'story' is missing",
        "GET|/ViewStory?story=x'or'1|400|must be a whole number, but is 'x'or'1'",
        "GET|/ViewStory?story=99999999999|400|must be a whole number",
        "GET|/ViewComment?comment=5001|404|there is no comment 5001",
        "GET|/BrowseStoriesInCategory?category=21|404|there is no category 21",
        "GET|/OlderStories?page=-1|400|within 0..10000, but is -1",
        "GET|/PostComment|400|parameter 'story' is missing",
        "GET|/SearchInStories|400|parameter 'text' is missing",
        "GET|/SearchInStories?text=a%00b|400|holds a zero byte",
        "GET|/ViewStry|404|did you mean 'ViewStory'",
        "GET|/ViewStory/5|404|unknown page",
        "GET|/StoreComment|405|StoreComment takes POST alone",
        "POST|/ViewStory?story=1|405|ViewStory takes GET alone",
        "DELETE|/ViewStory?story=1|405|ViewStory takes GET alone",
        "POST|/AcceptStory|400|parameter 'submission' is missing",
        "POST|/AuthorTask?nickname=user1|400|parameter 'password' is missing",
      })
  void getsAStatusAndALine(String method, String path, int status, String line) throws Exception {
    HttpResponse<String> answer =
        board.send(board.request(path.replace("'", "%27")).method(method, BodyPublishers.noBody()));
    assertThat(answer.body()).contains(line).hasLineCount(1).endsWith("\n");
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/plain;charset=UTF-8");
  }

  @Test
  void saysWhichMethodIsRight() throws Exception {
    assertThat(board.get("/StoreStory").headers().firstValue("Allow")).hasValue("POST");
  }

  @Test
  void refusesAnIdThatCouldLeaveItsComment() throws Exception {
    var answer = board.send(board.request("/Browse").header("X-Request-Id", "a*/drop"));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).hasLineCount(1).contains("X-Request-Id must be");
    assertThat(answer.headers().firstValue("X-Request-Id")).isEmpty();
  }

  @Test
  void refusesATextThatIsTooLong() throws Exception {
    var answer = board.post("/AuthorTask", "password=x&nickname=" + "n".repeat(20_001));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("has 20001 characters, but 20000 are the most");
  }

  @Test
  void otherBytesThanHttpGetNoStack() throws Exception {
    assertThat(answerTo("nonsense\r\n\r\n"))
        .startsWith("HTTP/1.1 400")
        .doesNotContain("Exception", "at org.");
  }

  @Test
  void parametersThatCannotBeDecodedGetALine() throws Exception {
    assertThat(
            answerTo(
                "GET /SearchInStories?text=%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 400")
        .doesNotContain("Exception", "at org.");
  }

  private static String answerTo(String bytes) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), board.board.port())) {
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void adminPortRefusesOtherHostsAndPaths() throws Exception {
    assertThat(board.admin("GET", "/").statusCode()).isEqualTo(404);
    assertThat(board.admin("GET", "/size?threads=5").statusCode()).isEqualTo(404);
    assertThat(board.admin("POST", "/size?threads=x").body()).contains("whole number");
    assertThat(board.admin("POST", "/size?threads=2001").body()).contains("2001");
    assertThat(board.admin("POST", "/mode?mode=activ").body()).contains("'activ'");
    assertThat(board.admin("POST", "/mode").body()).contains("/mode?mode=active");
  }

  @Test
  void wrongOptionsGetALine() throws Exception {
    assertThat(run("--threads", "0")).contains("threads must").contains("0").hasLineCount(1);
    assertThat(run("--connections", "1001")).contains("connections must").hasLineCount(1);
    assertThat(run("--connection-timeout", "0")).contains("1..3600").hasLineCount(1);
    assertThat(run("--goodput-bound", "0")).contains("1..60000").hasLineCount(1);
    assertThat(run("--admission", "dagor")).contains("did you mean 'dagor-style'").hasLineCount(1);
    assertThat(run("--tuning", "coordinate")).contains("coordinated").hasLineCount(1);
    assertThat(run("--thread", "5")).contains("did you mean '--threads'").hasLineCount(1);
    String taken = Integer.toString(board.board.port());
    assertThat(run("--port", taken)).contains("cannot listen on port " + taken).hasLineCount(1);
    assertThatThrownBy(() -> new BoardAdmin(board.board.port(), board.board))
        .isInstanceOf(BindException.class);
  }

  @Test
  void databaseWithoutBoardIsNamed() throws Exception {
    String empty = PostgresServer.shared().createDatabase();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        BoardMain.commandLine(System.out, new PrintStream(err, true, StandardCharsets.UTF_8))
            .execute("--jdbc-url", empty);
    assertThat(code).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains(empty + " holds no bulletin board: fill it with DataMain")
        .hasLineCount(1);
  }

  private static String run(String... options) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    String[] args = new String[options.length + 2];
    args[0] = "--jdbc-url";
    args[1] = url;
    System.arraycopy(options, 0, args, 2, options.length);
    int code =
        BoardMain.commandLine(System.out, new PrintStream(err, true, StandardCharsets.UTF_8))
            .execute(args);
    assertThat(code).isEqualTo(2);
    return err.toString(StandardCharsets.UTF_8);
  }
}
