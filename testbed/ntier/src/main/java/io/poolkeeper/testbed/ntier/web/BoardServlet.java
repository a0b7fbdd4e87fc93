package io.poolkeeper.testbed.ntier.web;

import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.ntier.database.Database;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the interaction of a request and writes its page. Whatever goes wrong gets a status and a
 * line of text: 400 to 409 for the client's faults, 503 while the database is not to be had, 500
 * for anything else.
 */
public final class BoardServlet extends HttpServlet {

  @Serial private static final long serialVersionUID = 1;

  /** The header with the trace id of a request. */
  public static final String REQUEST_ID = "X-Request-Id";

  /** Ids that may stand in a comment of a statement: those that httpd, nginx and HAProxy make. */
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9@:._=-]{1,128}");

  private static final String HOME = "StoriesOfTheDay";

  /** States of SQL in which another connection, or another try, may succeed. */
  private static final Pattern UNAVAILABLE = Pattern.compile("(08|53|57P|40).*");

  private final transient Map<String, Interaction> interactions;
  private final transient Database database;
  private final String prefix = Long.toString(System.currentTimeMillis(), 36);
  private final AtomicLong ids = new AtomicLong();

  /**
   * @param interactions by their names
   */
  public BoardServlet(Map<String, Interaction> interactions, Database database) {
    this.interactions = new TreeMap<>(interactions);
    this.database = database;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String id = request.getHeader(REQUEST_ID);
    try {
      if (id == null) {
        id = prefix + '-' + Long.toString(ids.incrementAndGet(), 36);
      } else if (!ID.matcher(id).matches()) {
        id = null;
        throw Refusal.badRequest(
            REQUEST_ID + " must be 1 to 128 letters, digits and any of @:._=-");
      }
      response.setHeader(REQUEST_ID, id);
      Interaction interaction = find(request);
      if (!allowed(interaction, request.getMethod())) {
        response.setHeader("Allow", interaction.method());
        write(response, 405, interaction.name() + " takes " + interaction.method() + " alone");
        return;
      }
      request.setCharacterEncoding("UTF-8");
      Call call = new Call(id, new Parameters(request::getParameter), database);
      String page = interaction.handler().page(call);
      write(response, 200, "text/html;charset=UTF-8", page);
    } catch (Refusal refusal) {
      write(response, refusal.status(), String.valueOf(refusal.getMessage()));
    } catch (SQLException e) {
      boolean unavailable = unavailable(e);
      write(
          response,
          unavailable ? 503 : 500,
          unavailable ? "the database is not available" : "the database refused: " + reason(e));
    } catch (IllegalStateException e) {
      // Tomcat's word for a body or a query that cannot be taken apart.
      write(response, 400, "the parameters cannot be read");
    } catch (RuntimeException e) {
      getServletContext().log("request " + id + " failed", e);
      write(response, 500, "this request failed; the log of the board says why");
    }
  }

  private Interaction find(HttpServletRequest request) {
    String path = request.getRequestURI();
    String name = path.equals("/") ? HOME : path.substring(1);
    Interaction found = interactions.get(name);
    if (found != null) {
      return found;
    }
    String message = "there is no page '" + path + "'";
    try {
      Names.require("page", name, interactions.keySet());
    } catch (IllegalArgumentException e) {
      message = String.valueOf(e.getMessage());
    }
    throw Refusal.noPage(message);
  }

  private static boolean allowed(Interaction interaction, String method) {
    return method.equals(interaction.method())
        || (method.equals("HEAD") && interaction.method().equals("GET"));
  }

  private static boolean unavailable(SQLException e) {
    return e instanceof SQLTransientConnectionException
        || (e.getSQLState() != null && UNAVAILABLE.matcher(e.getSQLState()).matches());
  }

  private static @Nullable String reason(SQLException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse(e.getSQLState());
  }

  private static void write(HttpServletResponse response, int status, String line)
      throws IOException {
    write(response, status, "text/plain;charset=UTF-8", line + '\n');
  }

  private static void write(HttpServletResponse response, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.setContentType(type);
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
