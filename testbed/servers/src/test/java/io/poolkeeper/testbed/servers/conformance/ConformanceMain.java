package io.poolkeeper.testbed.servers.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The kit in a process of its own, for architectures that need another JDK. */
final class ConformanceMain {

  private ConformanceMain() {}

  /** Exit code 0 if there were tests, and all of them passed. */
  public static void main(String[] args) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Conformance.KIT.stream().map(DiscoverySelectors::selectClass).toList())
            .selectors(selectClass(ForeignClientsTest.class))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    listener.getSummary().printTo(out);
    listener.getSummary().printFailuresTo(out, 20);
    boolean passed =
        listener.getSummary().getTestsSucceededCount() > 0
            && listener.getSummary().getTotalFailureCount() == 0;
    System.exit(passed ? 0 : 1);
  }
}
