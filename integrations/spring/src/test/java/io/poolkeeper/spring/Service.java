package io.poolkeeper.spring;

import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TunedPool;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A small service on a real web server and a real connection pool, as users write them. */
final class Service implements AutoCloseable {

  /** Web servers by the simple names of their factories. */
  enum Server {
    TOMCAT("tomcat.Tomcat"),
    JETTY("jetty.Jetty");

    private final String factory;

    Server(String factory) {
      this.factory = factory;
    }

    /** Spring Boot 3 has the factories in one package, 4 in one each. */
    private Class<?> factory() {
      String name = factory + "ServletWebServerFactory";
      try {
        return Class.forName("org.springframework.boot.web.embedded." + name);
      } catch (ClassNotFoundException e) {
        return factory("org.springframework.boot." + name.replaceFirst("\\.", ".servlet."));
      }
    }

    private static Class<?> factory(String name) {
      try {
        return Class.forName(name);
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private final ConfigurableApplicationContext context;
  private final int port;
  private final HttpClient client = HttpClient.newHttpClient();

  /** Starts the service on a free port. */
  Service(Server server, String... properties) {
    SpringApplication application = new SpringApplication(Application.class);
    application.addInitializers(
        initial -> ((GenericApplicationContext) initial).registerBean("server", server.factory()));
    List<String> arguments = new ArrayList<>(List.of(properties));
    arguments.add("server.port=0");
    arguments.add("server.shutdown=graceful");
    arguments.add("spring.lifecycle.timeout-per-shutdown-phase=300s");
    arguments.add("spring.main.banner-mode=off");
    arguments.add("spring.datasource.url=jdbc:h2:mem:service");
    arguments.add("management.endpoints.web.exposure.include=poolkeeper");
    arguments.add("logging.level.root=warn");
    context = application.run(arguments.stream().map(each -> "--" + each).toArray(String[]::new));
    port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  TunedPool pool(String name) {
    return bean(Pools.class).find(name).orElseThrow();
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  CompletableFuture<HttpResponse<String>> getLater(String path) {
    return client.sendAsync(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
    return client.send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Returns whether the server has begun to stop. */
  boolean refusesConnections() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return !socket.isConnected();
    } catch (IOException e) {
      return true;
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
  }

  @Override
  public void close() {
    context.close();
  }

  /** The beans of the service. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableAsync
  static class Application {
    @Bean
    Orders orders(JdbcTemplate jdbc, Mail mail) {
      return new Orders(jdbc, mail);
    }

    @Bean
    Mail mail() {
      return new Mail();
    }
  }

  /** Requests. */
  @RestController
  static class Orders {
    final Semaphore entered = new Semaphore(0);
    final CountDownLatch release = new CountDownLatch(1);
    private final JdbcTemplate jdbc;
    private final Mail mail;

    Orders(JdbcTemplate jdbc, Mail mail) {
      this.jdbc = jdbc;
      this.mail = mail;
    }

    /** Returns the thread of the request, that of its mail, and what the database says. */
    @GetMapping("/order")
    String order() throws ExecutionException, InterruptedException {
      Integer answer = jdbc.queryForObject("select 42", Integer.class);
      return Thread.currentThread().getName() + " " + mail.send().get() + " " + answer;
    }

    /** Waits inside the service. */
    @GetMapping("/wait")
    String waiting() throws InterruptedException {
      entered.release();
      release.await();
      return "done";
    }
  }

  /** Work that runs on the task executor. */
  static class Mail {
    @Async
    CompletableFuture<String> send() {
      return CompletableFuture.completedFuture(Thread.currentThread().getName());
    }
  }
}
