package io.poolkeeper.testbed.peers.pools;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;

/** The pools there are, by name. */
public final class PeerPools {

  private PeerPools() {}

  /**
   * Makers by name; each takes the size to start with. What the running JDK does not have is left
   * out.
   */
  public static Map<String, IntFunction<PeerPool>> all() {
    Map<String, IntFunction<PeerPool>> makers = new LinkedHashMap<>();
    makers.put("jdk", JdkPool::sizedByCore);
    makers.put("jdk-maximum", JdkPool::sizedByMaximum);
    makers.put("fork-join", ForkJoin::new);
    makers.put("jboss", JbossPool::new);
    makers.put("jetty", JettyPool::new);
    makers.put("tomcat", TomcatPool::new);
    if (VirtualThreads.available()) {
      makers.put("virtual-threads", VirtualThreads::new);
    }
    return makers;
  }
}
