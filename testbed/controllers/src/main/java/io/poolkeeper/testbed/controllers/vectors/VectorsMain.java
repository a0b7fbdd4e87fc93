package io.poolkeeper.testbed.controllers.vectors;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.ControllerDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes what controllers decide about sequences of windows, for their counterparts in other
 * languages ({@code contract/vectors}).
 */
final class VectorsMain {

  /** Columns of a window in the files. */
  private static final List<String> COLUMNS =
      List.of(
          "start",
          "end",
          "size",
          "busy",
          "queueMean",
          "queueMax",
          "arrivals",
          "completions",
          "failures",
          "rejections",
          "withinBound",
          "serviceMean",
          "responseMean",
          "responseP50",
          "responseP99",
          "workerCpu",
          "processCpu",
          "gc",
          "diskBytes",
          "diskCalls",
          "diskChanges",
          "queuedByWorkers");

  private VectorsMain() {}

  /** Writes to the folder that is named. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("poolkeeper: name the folder to write, contract/vectors");
      System.exit(2);
    }
    for (Map.Entry<String, String> file : files().entrySet()) {
      Files.writeString(Path.of(arguments[0], file.getKey()), file.getValue());
    }
  }

  /** Returns the text of each file by its name. */
  static Map<String, String> files() throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    for (String controller :
        List.of(
            "scale-adapter",
            "scale-adapter-drop",
            "scale-adapter-average",
            "scale-adapter-calls",
            "response-curve")) {
      files.put(controller + ".json", json(Controllers.descriptor(controller)));
    }
    return files;
  }

  private static String json(ControllerDescriptor<Controller> descriptor) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    List<String> sequences = new ArrayList<>();
    for (VectorSequence sequence : VectorSequence.of(descriptor.name())) {
      sequences.add(json(mapper, descriptor, sequence));
    }
    return "{\"controller\": %s,%n\"columns\": %s,%n\"sequences\": [%n%s%n]}%n"
        .formatted(
            mapper.writeValueAsString(descriptor.name()),
            mapper.writeValueAsString(COLUMNS),
            String.join(",%n".formatted(), sequences));
  }

  private static String json(
      ObjectMapper mapper, ControllerDescriptor<Controller> descriptor, VectorSequence sequence)
      throws IOException {
    Controller controller = descriptor.make(sequence.settings());
    String bounds = "";
    if (sequence.declared()) {
      controller.requireBounds(sequence.bounds());
      bounds = "\"bounds\": " + mapper.writeValueAsString(sequence.bounds()) + ", ";
    }
    VectorPlant plant = sequence.plant(descriptor.window().toNanos());
    List<String> steps = new ArrayList<>();
    for (VectorLoad load : sequence.loads()) {
      Window window = plant.next(load);
      Decision decision = controller.decide(window);
      plant.resize(decision.size());
      Map<String, Object> step = new LinkedHashMap<>();
      step.put("window", row(window));
      step.put("size", decision.size());
      step.put("numbers", finite(decision.numbers()));
      steps.add(mapper.writeValueAsString(step));
    }
    return "{\"name\": %s, \"settings\": %s, %s\"steps\": [%n%s%n]}"
        .formatted(
            mapper.writeValueAsString(sequence.name()),
            mapper.writeValueAsString(descriptor.complete(sequence.settings())),
            bounds,
            String.join(",%n".formatted(), steps));
  }

  /** Leaves out numbers that JSON has no words for, and the points of curves. */
  private static Map<String, Double> finite(Map<String, Double> numbers) {
    Map<String, Double> finite = new LinkedHashMap<>(numbers);
    finite.keySet().removeIf(name -> name.startsWith("curve."));
    finite.values().removeIf(value -> !Double.isFinite(value));
    return finite;
  }

  private static List<Number> row(Window window) {
    return Arrays.asList(
        window.start(),
        window.end(),
        window.size(),
        window.busy(),
        window.queueMean(),
        window.queueMax(),
        window.arrivals(),
        window.completions(),
        window.failures(),
        window.rejections(),
        window.withinBound(),
        window.serviceTime().mean(),
        window.responseTime().mean(),
        window.responseTime().p50(),
        window.responseTime().p99(),
        window.workerCpu(),
        window.processCpu(),
        window.gc(),
        window.disk().logicalBytes(),
        window.disk().calls(),
        window.disk().changes(),
        window.queuedByWorkers());
  }
}
