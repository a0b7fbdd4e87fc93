package io.poolkeeper.testbed.tunnel.results;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Load;
import io.poolkeeper.testbed.tunnel.course.Loads;
import io.poolkeeper.testbed.tunnel.course.Optimum;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.drawn.Draw;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.plan.Cell;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.Plants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Catalogue of what the results speak of, as {@code tunnel.json} beside them: plants with their
 * curves, loads, noises, the optimum of every stage, and what is known about the contestants. All
 * of it is there, whatever was chosen, so that results can be added to later.
 */
public final class Catalogue {

  /** Name of the file. */
  public static final String FILE = "tunnel.json";

  /** Version of the folder's files. */
  static final int VERSION = 1;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectNode root = JSON.createObjectNode();
  private final int largest;

  /**
   * @param command how the tunnel was started, for a reader who wants the same again
   * @param contestants who takes part
   * @param draws drawn plants; none where the plants of the tunnel are flown
   * @param largest size that a pool may have
   */
  public Catalogue(
      String command,
      String started,
      Collection<Contestant> contestants,
      Collection<Draw> draws,
      int largest) {
    this.largest = largest;
    root.put("version", VERSION);
    root.put("command", command);
    root.put("started", started);
    root.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    root.put("processors", Runtime.getRuntime().availableProcessors());
    root.put("point_s", Results.POINT_SECONDS);
    root.put("seconds", Loads.SECONDS);
    root.put("largest_size", largest);
    root.put("tolerance", Optimum.TOLERANCE);
    ArrayNode controllers = root.putArray("controllers");
    contestants.forEach(each -> controllers.add(contestant(each)));
    ArrayNode plants = root.putArray("plants");
    Plants.ALL.values().forEach(each -> plants.add(plant(each)));
    ArrayNode loads = root.putArray("loads");
    Loads.ALL
        .values()
        .forEach(each -> loads.addObject().put("name", each.name()).put("title", each.title()));
    ArrayNode noises = root.putArray("noises");
    for (Noise noise : Noise.ALL.values()) {
      noises.addObject().put("name", noise.word()).put("title", noise.title());
    }
    ArrayNode courses = root.putArray("courses");
    for (Plant plant : Plants.ALL.values()) {
      for (Load load : Loads.ALL.values()) {
        courses.add(course(plant, load));
      }
    }
    ArrayNode drawnPlants = root.putArray("drawn");
    draws.forEach(draw -> drawnPlants.add(drawn(draw)));
  }

  private static ObjectNode contestant(Contestant contestant) {
    return JSON.createObjectNode()
        .put("name", contestant.name())
        .put("kind", contestant.kind().name().toLowerCase(java.util.Locale.ROOT))
        .put("source", contestant.about().source())
        .put("signal", contestant.about().signal())
        .put("trigger", contestant.about().trigger())
        .put("weakness", contestant.about().weakness())
        .put("window_s", contestant.about().windowSeconds());
  }

  private static ObjectNode plant(Plant plant) {
    ObjectNode node =
        JSON.createObjectNode()
            .put("name", plant.name())
            .put("title", plant.title())
            .put("law", plant.law())
            .put("opposite", plant.opposite())
            .put("best", plant.curve().best());
    ArrayNode rates = node.putArray("rates");
    for (int size = 1; size <= Curve.LARGEST; size++) {
      rates.add(Math.round(plant.curve().at(size) * 100) / 100.0);
    }
    return node;
  }

  private ObjectNode drawn(Draw draw) {
    Cell cell = draw.cell();
    ObjectNode node =
        course(cell.plant(), cell.load())
            .put("seed", draw.seed())
            .put("kind", draw.shape().word())
            .put("category", draw.category().word())
            .put("load_title", cell.load().title())
            .put("noise", cell.noise().word())
            .put("noise_title", cell.noise().title());
    ArrayNode plants = node.putArray("plants");
    cell.load().on(cell.plant()).stream()
        .map(Stage::plant)
        .distinct()
        .forEach(each -> plants.add(plant(each)));
    return node;
  }

  private ObjectNode course(Plant plant, Load load) {
    Course course = new Course(load.on(plant), largest);
    ObjectNode node =
        JSON.createObjectNode()
            .put("plant", plant.name())
            .put("load", load.name())
            .put("seconds", course.seconds())
            .put("best_fixed", course.bestFixed())
            .put("spread", course.spread())
            .put("headroom", course.headroom());
    ArrayNode stages = node.putArray("stages");
    for (int i = 0; i < course.stages().size(); i++) {
      Optimum optimum = course.optimum(i);
      stages
          .addObject()
          .put("start_s", course.start(i))
          .put("end_s", course.end(i))
          .put("plant", course.stages().get(i).plant().name())
          .put("best", optimum.best())
          .put("enough", optimum.enough())
          .put("most_per_s", optimum.most());
    }
    return node;
  }

  /**
   * Writes it, keeping what an earlier one in the folder knew of other contestants and of other
   * drawn plants.
   *
   * @param seconds how long the runs took this time; added to those of an earlier one
   * @throws BadInput if the earlier one is damaged
   */
  public void write(Path folder, double seconds) throws BadInput, IOException {
    Path file = folder.resolve(FILE);
    ObjectNode written = root.deepCopy();
    written.put("took_s", seconds);
    if (Files.exists(file)) {
      JsonNode earlier = earlier(file);
      int before = earlier.path("largest_size").asInt(largest);
      if (before != largest) {
        throw new BadInput(
            "%s holds pools of up to %d workers, but --largest is %d"
                .formatted(folder, before, largest));
      }
      written.put("took_s", seconds + earlier.path("took_s").asDouble());
      written.put("started", earlier.path("started").asText(root.path("started").asText()));
      keep(earlier, written, "controllers", "name");
      keep(earlier, written, "drawn", "plant");
    }
    // In one step, so that a disk that is full leaves the earlier one as it was.
    Path whole = folder.resolve(FILE + ".new");
    try {
      JSON.writeValue(whole.toFile(), written);
      Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(whole);
    }
  }

  /** Adds the entries of a list that are new by their key. */
  private static void keep(JsonNode earlier, ObjectNode written, String list, String key) {
    Set<String> present = new HashSet<>();
    ArrayNode entries = (ArrayNode) written.get(list);
    entries.forEach(entry -> present.add(entry.path(key).asText()));
    earlier
        .path(list)
        .forEach(
            entry -> {
              if (present.add(entry.path(key).asText())) {
                entries.add(entry);
              }
            });
  }

  private static JsonNode earlier(Path file) throws BadInput, IOException {
    try {
      return JSON.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s:%d: is no JSON; remove it and --resume makes it again"
              .formatted(file, e.getLocation().getLineNr()));
    }
  }
}
