package io.poolkeeper.examples.springboot;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** A service that reads orders from a database and asks a slow service for their prices. */
@SpringBootApplication
public class OrderService {

  /** Starts database and service. */
  public static void main(String[] arguments) {
    SpringApplication application = new SpringApplication(OrderService.class);
    application.setDefaultProperties(Map.of("spring.datasource.url", SampleDatabase.start()));
    application.run(arguments);
  }

  /** The slow service, in this process for the sake of the example. */
  @Bean(destroyMethod = "close")
  Prices prices() {
    return new Prices();
  }
}
