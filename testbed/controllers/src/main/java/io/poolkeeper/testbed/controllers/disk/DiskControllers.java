package io.poolkeeper.testbed.controllers.disk;

import io.poolkeeper.Controller;
import io.poolkeeper.Objective;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.ControllerProvider;
import io.poolkeeper.spi.Setting;
import io.poolkeeper.spi.Settings;
import io.poolkeeper.testbed.commands.Names;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** The scale adapter and its variants, each with the settings published for a workload. */
public final class DiskControllers implements ControllerProvider {

  private static final List<String> OBJECTIVES =
      List.of(Objective.throughput().name(), Objective.diskThroughput().name());

  @Override
  public Collection<ControllerDescriptor<Controller>> controllers() {
    return List.of(
        adapter(
            "scale-adapter",
            "Timm 2021, chapter 4",
            "rate of two intervals and its deviation",
            "noise above the stability; jobs longer than the interval; a flat curve",
            ScaleSettings::plain),
        adapter(
            "scale-adapter-drop",
            "Timm 2021, section 6.1.1",
            "rate of two intervals and its deviation, drops of 70 % passed over",
            "noise above the stability; a workload that became slower for good",
            ScaleSettings::dropException),
        adapter(
            "scale-adapter-average",
            "Timm 2021, section 6.1.2",
            "moving average of the rate, and its deviation",
            "a peak that lasts as long as the average; sizes of the past are in the average",
            ScaleSettings::movingAverage),
        adapter(
            "scale-adapter-calls",
            "Timm 2021, the third variant of the author's code",
            "rate of two intervals and its deviation, mean time of a call",
            "noise above the stability, in the rate or in the time of calls",
            ScaleSettings::callTime));
  }

  private static ControllerDescriptor<Controller> adapter(
      String name,
      String source,
      String signal,
      String weakness,
      Function<String, ScaleSettings> published) {
    return new ControllerDescriptor<>(
        name,
        source,
        signal,
        "every scale interval: on while it pays, back when it does not, then a step aside",
        weakness,
        ScaleSettings.SUBINTERVAL,
        List.of(
            Setting.of("workload", "pool, node or rocksdb: whose published settings", "pool"),
            Setting.of(
                "objective",
                "throughput, or disk-throughput of a pool with a disk sensor",
                Objective.throughput().name()),
            Setting.of(
                "asked-by", "manager, every interval, or workers, between two jobs", "manager")),
        settings ->
            new ScaleAdapter(
                name,
                published
                    .apply(
                        Names.require(
                            "workload", settings.text("workload"), ScaleSettings.WORKLOADS))
                    .askedBy(ScaleSettings.AskedBy.named(settings.text("asked-by"))),
                ofDisk(settings) ? Signal.DISK_THROUGHPUT : Signal.THROUGHPUT,
                ofDisk(settings) ? Signal.CALL_TIME : Signal.SERVICE_TIME));
  }

  private static boolean ofDisk(Settings settings) {
    return Names.require("objective", settings.text("objective"), OBJECTIVES)
        .equals(Objective.diskThroughput().name());
  }
}
