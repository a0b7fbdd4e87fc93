package io.poolkeeper.testbed.hosts.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class WorkServletTest {

  private final Tomcat tomcat = new Tomcat();

  @BeforeEach
  void start(@TempDir Path folder) throws LifecycleException {
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Context context = tomcat.addContext("", folder.toString());
    Tomcat.addServlet(context, "work", new WorkServlet(Map.of())).setLoadOnStartup(1);
    context.addServletMappingDecoded("/*", "work");
    tomcat.getConnector();
    tomcat.start();
  }

  @AfterEach
  void stop() throws LifecycleException {
    tomcat.stop();
    tomcat.destroy();
  }

  private HttpResponse<String> get(String path) throws Exception {
    URI address = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void applicationsAnswerUnderTheirNames() throws Exception {
    assertThat(get("/io-10").statusCode()).isEqualTo(200);
    assertThat(get("/io-10").body()).hasSize(10);
  }

  @Test
  void whatNeedsADatabaseIsThereOnlyWithOne() throws Exception {
    assertThat(get("/dbread").statusCode()).isEqualTo(404);
    assertThat(get("/call20").statusCode()).isEqualTo(404);
  }
}
