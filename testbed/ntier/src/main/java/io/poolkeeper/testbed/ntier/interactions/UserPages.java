package io.poolkeeper.testbed.ntier.interactions;

import io.poolkeeper.testbed.ntier.data.Passwords;
import io.poolkeeper.testbed.ntier.database.Row;
import io.poolkeeper.testbed.ntier.database.Session;
import io.poolkeeper.testbed.ntier.web.Call;
import io.poolkeeper.testbed.ntier.web.Page;
import io.poolkeeper.testbed.ntier.web.Parameters;
import io.poolkeeper.testbed.ntier.web.Refusal;
import java.sql.SQLException;
import java.util.List;

/** Users, and authors among them. */
final class UserPages {

  private UserPages() {}

  /** Returns the user whose nickname and password stand in the request, or refuses. */
  static Row login(Call call, Session session) throws SQLException {
    String nickname = call.parameters().text("nickname");
    String digest = Passwords.digest(nickname, call.parameters().text("password"));
    return session
        .first("select id, access from users where nickname = ? and password = ?", nickname, digest)
        .orElseThrow(() -> Refusal.forbidden("nickname and password do not match"));
  }

  /** The same, and refuses a user who is no author. */
  static Row loginAuthor(Call call, Session session) throws SQLException {
    Row user = login(call, session);
    if (user.number("access") == 0) {
      throw Refusal.forbidden("'%s' is no author".formatted(call.parameters().text("nickname")));
    }
    return user;
  }

  static String register(Call call) {
    return new Page("Register")
        .form("post", "/RegisterUser", "first_name", "last_name", "nickname", "password", "email")
        .done("Register");
  }

  static String registerUser(Call call) throws SQLException {
    Parameters parameters = call.parameters();
    String nickname = parameters.text("nickname");
    String digest = Passwords.digest(nickname, parameters.text("password"));
    String firstName = parameters.text("first_name");
    String lastName = parameters.text("last_name");
    String email = parameters.text("email");
    List<Row> created =
        call.change(
            session ->
                session.query(
                    """
                    insert into users
                      (nickname, password, first_name, last_name, email, registered)
                    values (?, ?, ?, ?, ?, ?) on conflict (nickname) do nothing returning id
                    """,
                    nickname,
                    digest,
                    firstName,
                    lastName,
                    email,
                    Call.now()));
    if (created.isEmpty()) {
      throw Refusal.conflict("nickname '%s' is taken".formatted(nickname));
    }
    return new Page("Welcome").text(nickname).done("RegisterUser", nickname);
  }

  static String authorLogin(Call call) {
    return new Page("Authors")
        .form("post", "/AuthorTask", "nickname", "password")
        .done("AuthorLogin");
  }

  static String authorTask(Call call) throws SQLException {
    int waiting =
        call.ask(
            session -> {
              loginAuthor(call, session);
              return session
                  .query("select count(*) as waiting from submissions")
                  .get(0)
                  .number("waiting");
            });
    String nickname = call.parameters().text("nickname");
    return new Page("Tasks of " + nickname)
        .link("/ReviewStories", "Review stories", waiting + " wait")
        .done("AuthorTask", nickname);
  }
}
