package io.poolkeeper.testbed.ntier.board;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Interactions that change data. */
class WritingTest extends BoardTest {

  private static final String ALL_COMMENTS =
      "(select * from comments union all select * from old_comments) c";

  private static final int AUTHOR = 1;
  private static final int USER = 400;

  private void done(String path, String form, String line) throws Exception {
    HttpResponse<String> answer = board.post(path, form);
    assertThat(answer.body()).contains("<p class=\"done\">" + line + "</p>");
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  private void refused(int status, String path, String form, String message) throws Exception {
    HttpResponse<String> answer = board.post(path, form);
    assertThat(answer.body()).contains(message).hasLineCount(1);
    assertThat(answer.statusCode()).isEqualTo(status);
  }

  @Test
  void registersAUserOnce() throws Exception {
    String form = "nickname=ada&password=x&first_name=Ada&last_name=L&email=a@example.org";
    done("/RegisterUser", form, "RegisterUser ada");
    refused(409, "/RegisterUser", form, "nickname 'ada' is taken");
    assertThat(number("select count(*) from users where nickname = 'ada'")).isEqualTo(1);
    // The new one can write, and is no author.
    done("/StoreComment", "story=500&nickname=ada&password=x&subject=a&body=b", "StoreComment 500");
    refused(403, "/AuthorTask", "nickname=ada&password=x", "'ada' is no author");
    refused(403, "/AuthorTask", "nickname=ada&password=y", "do not match");
  }

  @Test
  void answersToCommentsFormATree() throws Exception {
    String text = "&subject=My+view&body=%3Cb%3E" + login(USER);
    done("/StoreComment", "story=500" + text, "StoreComment 500");
    int root = number("select max(id) from comments");
    done("/StoreComment", "comment=" + root + text, "StoreComment " + root);
    int child = number("select max(id) from comments");
    done("/StoreComment", "comment=" + child + text, "StoreComment " + child);
    done("/StoreComment", "comment=" + child + text, "StoreComment " + child);
    assertThat(number("select children from comments where id = " + root)).isEqualTo(1);
    assertThat(number("select children from comments where id = " + child)).isEqualTo(2);
    assertThat(number("select count(*) from comments where parent = " + child + " and story = 500"))
        .isEqualTo(2);
    String page = board.get("/ViewComment?comment=" + root).body();
    // All three below it, whatever their depth; and what users wrote is no markup.
    assertThat(page.split("My view", -1)).hasSize(2 + 1 + 3);
    assertThat(page).contains("&lt;b&gt;").doesNotContain("<b>");
  }

  @Test
  void commentsOnOldStoriesStandInTheArchive() throws Exception {
    int before = number("select count(*) from old_comments");
    done("/StoreComment", "story=3&subject=a&body=b" + login(USER), "StoreComment 3");
    assertThat(number("select count(*) from old_comments")).isEqualTo(before + 1);
  }

  @Test
  void commentThatCannotBeStoredLeavesNothing() throws Exception {
    int before = number("select count(*) from " + ALL_COMMENTS);
    String text = "&subject=a&body=b";
    refused(404, "/StoreComment", "story=501" + text + login(USER), "there is no story 501");
    refused(404, "/StoreComment", "comment=9999" + text + login(USER), "there is no comment 9999");
    refused(403, "/StoreComment", "story=500&nickname=x&password=y" + text, "do not match");
    refused(400, "/StoreComment", "story=500&subject=a" + login(USER), "'body' is missing");
    assertThat(number("select count(*) from " + ALL_COMMENTS)).isEqualTo(before);
    assertThat(board.idleTier().get("connections_busy").asInt()).isZero();
  }

  @Test
  void moderationRatesCommentAndWriterWithinBounds() throws Exception {
    int writer = number("select writer from comments where id = 5000");
    int ofWriter = number("select rating from users where id = " + writer);
    int log = number("select count(*) from moderator_log");
    for (int i = 0; i < 8; i++) {
      done("/StoreModerateLog", "comment=5000&rating=1" + login(AUTHOR), "StoreModerateLog 5000");
    }
    assertThat(number("select rating from comments where id = 5000")).isEqualTo(5);
    assertThat(number("select rating from users where id = " + writer)).isEqualTo(ofWriter + 8);
    assertThat(number("select count(*) from moderator_log")).isEqualTo(log + 8);
    done("/StoreModerateLog", "comment=1&rating=-1" + login(AUTHOR), "StoreModerateLog 1");
    refused(400, "/StoreModerateLog", "comment=1&rating=2" + login(AUTHOR), "-1..1, but is 2");
    refused(403, "/StoreModerateLog", "comment=1&rating=1" + login(USER), "is no author");
    refused(404, "/StoreModerateLog", "comment=0&rating=1" + login(AUTHOR), "no comment 0");
    assertThat(number("select count(*) from moderator_log")).isEqualTo(log + 9);
  }

  @Test
  void acceptedSubmissionBecomesAStoryAndTheOldestRetires() throws Exception {
    int stories = number("select count(*) from stories");
    int comments = number("select count(*) from comments where story = 451");
    int all = number("select count(*) from " + ALL_COMMENTS);
    done("/StoreStory", "category=2&title=Fresh+news&body=b" + login(USER), "StoreStory 2");
    int id = number("select id from submissions where title = 'Fresh news'");
    assertThat(board.get("/ViewStory?story=" + id).statusCode()).isEqualTo(404);
    done("/AcceptStory", "submission=" + id + login(AUTHOR), "AcceptStory " + id);
    assertThat(board.get("/ViewStory?story=" + id).body()).contains("Fresh news");
    assertThat(board.get("/").body()).contains("Fresh news");
    assertThat(number("select count(*) from submissions where id = " + id)).isZero();
    refused(404, "/AcceptStory", "submission=" + id + login(AUTHOR), "no submission " + id);
    assertThat(number("select count(*) from stories")).isEqualTo(stories);
    assertThat(number("select count(*) from old_stories where id = 451")).isEqualTo(1);
    assertThat(number("select count(*) from old_comments where story = 451")).isEqualTo(comments);
    assertThat(number("select count(*) from " + ALL_COMMENTS)).isEqualTo(all);
  }

  @Test
  void authorPublishesAtOnceAndRejectsOthers() throws Exception {
    done("/StoreStory", "category=2&title=Mine&body=b" + login(AUTHOR), "StoreStory 2");
    assertThat(number("select count(*) from stories where title = 'Mine'")).isEqualTo(1);
    refused(
        404,
        "/StoreStory",
        "category=99&title=a&body=b" + login(AUTHOR),
        "there is no category 99");
    int submissions = number("select count(*) from submissions");
    done("/RejectStory", "submission=next" + login(AUTHOR), "RejectStory 501");
    done("/RejectStory", "submission=600" + login(AUTHOR), "RejectStory 600");
    assertThat(number("select count(*) from submissions")).isEqualTo(submissions - 2);
    refused(403, "/RejectStory", "submission=next" + login(USER), "is no author");
  }

  @Test
  void emptyQueueOfSubmissionsIsNoError() throws Exception {
    for (int i = 0; i < 100; i++) {
      done("/RejectStory", "submission=next" + login(AUTHOR), "RejectStory " + (501 + i));
    }
    done("/AcceptStory", "submission=next" + login(AUTHOR), "AcceptStory none");
    assertThat(board.get("/ReviewStories").body()).contains("ReviewStories 0");
  }

  @Test
  void authorsAndUsersAtOnceLoseNothing() throws Exception {
    int stories = number("select count(*) from stories");
    int comments = number("select count(*) from " + ALL_COMMENTS);
    ExecutorService clients = Executors.newFixedThreadPool(12);
    try {
      List<Future<HttpResponse<String>>> accepted = new ArrayList<>();
      List<Future<HttpResponse<String>>> others = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        int author = 1 + i % 20;
        // Comments and ratings of just those stories that retire meanwhile.
        int story = 451 + i % 49;
        int comment = number("select min(id) from " + ALL_COMMENTS + " where story = " + story);
        accepted.add(
            clients.submit(() -> board.post("/AcceptStory", "submission=next" + login(author))));
        others.add(
            clients.submit(
                () ->
                    board.post(
                        "/StoreComment", "story=" + story + "&subject=a&body=b" + login(USER))));
        others.add(
            clients.submit(
                () ->
                    board.post(
                        "/StoreModerateLog", "comment=" + comment + "&rating=1" + login(author))));
      }
      List<String> pages = new ArrayList<>();
      for (Future<HttpResponse<String>> each : accepted) {
        assertThat(each.get().statusCode()).isEqualTo(200);
        String page = each.get().body();
        pages.add(page.substring(page.indexOf("AcceptStory")));
      }
      for (Future<HttpResponse<String>> each : others) {
        assertThat(each.get().body()).contains("class=\"done\"");
      }
      assertThat(pages).doesNotHaveDuplicates();
    } finally {
      clients.shutdownNow();
    }
    assertThat(number("select count(*) from stories")).isEqualTo(stories);
    assertThat(number("select count(*) from submissions")).isEqualTo(40);
    assertThat(number("select count(*) from " + ALL_COMMENTS)).isEqualTo(comments + 60);
    assertThat(number("select count(*) from comments where story not in (select id from stories)"))
        .isZero();
  }
}
