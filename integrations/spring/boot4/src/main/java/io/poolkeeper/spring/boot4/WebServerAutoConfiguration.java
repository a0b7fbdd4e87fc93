package io.poolkeeper.spring.boot4;

import io.poolkeeper.spring.EnabledCondition;
import io.poolkeeper.spring.PoolkeeperAutoConfiguration;
import io.poolkeeper.spring.StarterCheck;
import io.poolkeeper.spring.VirtualThreads;
import io.poolkeeper.spring.pools.GracefulStop;
import io.poolkeeper.spring.pools.JettyTuning;
import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TomcatTuning;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.server.Server;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.jetty.ConfigurableJettyWebServerFactory;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Tunes Tomcat, or puts a limit in front of Jetty. */
@AutoConfiguration(after = PoolkeeperAutoConfiguration.class)
@Conditional(EnabledCondition.class)
public class WebServerAutoConfiguration {

  WebServerAutoConfiguration() {
    StarterCheck.warn("poolkeeper-spring-boot-starter", 4);
  }

  /** Tomcat. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication
  @ConditionalOnClass({ConfigurableTomcatWebServerFactory.class, Tomcat.class})
  static class TomcatConfiguration {

    @Bean
    WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> poolkeeperTomcat(
        Pools pools, GracefulStop stop, Environment environment) {
      TomcatTuning tuning = new TomcatTuning(pools, stop, VirtualThreads.enabled(environment));
      return factory ->
          tuning.tune(
              customizer -> factory.addConnectorCustomizers(customizer::accept),
              factory::addEngineValves);
    }
  }

  /** Jetty. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication
  @ConditionalOnClass({ConfigurableJettyWebServerFactory.class, Server.class})
  static class JettyConfiguration {

    @Bean
    WebServerFactoryCustomizer<ConfigurableJettyWebServerFactory> poolkeeperJetty(
        Pools pools, Environment environment) {
      JettyTuning tuning = new JettyTuning(pools, VirtualThreads.enabled(environment));
      return factory -> factory.addServerCustomizers(tuning::tune);
    }
  }
}
