package io.poolkeeper.testbed.hosts.servlet;

import com.zaxxer.hikari.HikariDataSource;
import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.applications.ApplicationSettings;
import io.poolkeeper.testbed.applications.Applications;
import io.poolkeeper.testbed.applications.Connections;
import io.poolkeeper.testbed.applications.downstream.DownstreamAddress;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code /NAME} with the application of that name. All applications are made before the
 * first request, those that need a database or a downstream server only where one is named in the
 * environment: {@value #JDBC_URL} and {@value #DOWNSTREAM} ({@code HOST:PORT}).
 */
@WebServlet(urlPatterns = "/*", loadOnStartup = 1)
public final class WorkServlet extends HttpServlet {

  /** Variable of the environment with the address of the database. */
  static final String JDBC_URL = "WORK_JDBC_URL";

  /** Variable of the environment with the address of the downstream server. */
  static final String DOWNSTREAM = "WORK_DOWNSTREAM";

  private static final long serialVersionUID = 1;

  /** Connections of each host, so that its threads and not the connections are compared. */
  private static final String CONNECTIONS = "pool:64";

  private static final int NUMBER = 1_000_003;
  private static final long SEED = 1;

  private final transient Map<String, String> environment;
  private final transient Map<String, Application> applications = new LinkedHashMap<>();
  private transient @Nullable DataSource database;

  /** For hosts: addresses are in the environment. */
  public WorkServlet() {
    this(System.getenv());
  }

  /** Makes a servlet with addresses from somewhere else. */
  WorkServlet(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public void init() throws ServletException {
    try {
      ApplicationSettings settings = settings();
      for (String name : Applications.NAMES) {
        if ((database != null || !Applications.needsDatabase(name))
            && (settings.downstream() != null || !Applications.needsDownstream(name))) {
          applications.put(name, Applications.named(name, settings));
        }
      }
    } catch (SQLException | IllegalArgumentException e) {
      throw new ServletException(e.getMessage(), e);
    }
  }

  private ApplicationSettings settings() throws SQLException {
    ApplicationSettings settings = new ApplicationSettings(NUMBER, SEED);
    String downstream = environment.get(DOWNSTREAM);
    if (downstream != null) {
      settings = settings.with(DownstreamAddress.of(downstream, DownstreamAddress.TIMEOUT));
    }
    String jdbcUrl = environment.get(JDBC_URL);
    if (jdbcUrl != null) {
      DataSource opened = Connections.open(jdbcUrl, CONNECTIONS);
      database = opened;
      settings = settings.with(opened);
    }
    return settings;
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String path = request.getRequestURI();
    String name = path.substring(path.lastIndexOf('/') + 1);
    Application application = applications.get(name);
    if (application == null) {
      response.sendError(
          HttpServletResponse.SC_NOT_FOUND, name + " is none of " + applications.keySet());
      return;
    }
    try {
      write(response, application.answer());
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static void write(HttpServletResponse response, String answer) throws IOException {
    response.setContentType("text/plain;charset=utf-8");
    PrintWriter out = response.getWriter();
    out.print(answer);
  }

  @Override
  public void destroy() {
    applications.values().forEach(Application::close);
    if (database instanceof HikariDataSource pool) {
      pool.close();
    }
  }
}
