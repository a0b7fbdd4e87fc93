package io.poolkeeper.tomcat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.catalina.Context;
import org.apache.catalina.Globals;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;

/** A real Tomcat whose servlets run what tests give them. */
final class TomcatServer implements AutoCloseable {

  final Tomcat tomcat = new Tomcat();
  private final Map<String, Runnable> works = new ConcurrentHashMap<>();
  private final AtomicInteger ids = new AtomicInteger();
  private final Path folder = Files.createTempDirectory("tomcat");
  private HttpClient client = HttpClient.newHttpClient();

  TomcatServer() throws IOException {
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Context context = tomcat.addContext("", folder.toString());
    // Or the next server of this process would make the folder anew, as its home.
    System.clearProperty(Globals.CATALINA_HOME_PROP);
    context.addLifecycleListener( // A context forgets its servlets when it stops.
        event -> {
          if (event.getType().equals(Lifecycle.BEFORE_START_EVENT)) {
            addServlets(context);
          }
        });
    tomcat.getConnector();
  }

  private void addServlets(Context context) {
    Tomcat.addServlet(context, "work", new WorkServlet());
    context.addServletMappingDecoded("/work", "work");
    Tomcat.addServlet(context, "async", new AsyncServlet()).setAsyncSupported(true);
    context.addServletMappingDecoded("/async", "async");
  }

  void start() throws LifecycleException {
    tomcat.start();
  }

  void restart() throws LifecycleException {
    tomcat.stop();
    client = HttpClient.newHttpClient(); // The old one has connections to the old port.
    tomcat.start();
  }

  /** Runs work in a servlet and returns the answer. */
  HttpResponse<String> send(String path, Runnable work) throws Exception {
    String id = Integer.toString(ids.incrementAndGet());
    works.put(id, work);
    URI uri =
        URI.create("http://localhost:" + tomcat.getConnector().getLocalPort() + path + "?id=" + id);
    return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  void call(Runnable work) throws Exception {
    int status = send("/work", work).statusCode();
    if (status != 200) {
      throw new IOException("status " + status);
    }
  }

  private Runnable work(HttpServletRequest request) {
    return Objects.requireNonNull(works.remove(request.getParameter("id")));
  }

  @Override
  public void close() {
    try {
      tomcat.stop();
      tomcat.destroy();
      List<Path> all;
      try (Stream<Path> walk = Files.walk(folder)) {
        all = walk.sorted(Comparator.reverseOrder()).toList(); // Contents first.
      }
      for (Path each : all) {
        Files.delete(each);
      }
    } catch (IOException | LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs the work on the thread of the request. */
  private final class WorkServlet extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      work(request).run();
    }
  }

  /** Runs the work on a thread of its own, and then once more through the container. */
  private final class AsyncServlet extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      if (request.getAttribute("done") != null) {
        return;
      }
      Runnable work = work(request);
      request.setAttribute("done", true);
      AsyncContext async = request.startAsync();
      async.setTimeout(300_000);
      new Thread(
              () -> {
                work.run();
                async.dispatch();
              })
          .start();
    }
  }
}
