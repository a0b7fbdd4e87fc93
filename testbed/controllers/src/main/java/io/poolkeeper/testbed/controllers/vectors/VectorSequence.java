package io.poolkeeper.testbed.controllers.vectors;

import io.poolkeeper.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A sequence of loads that leads a controller through its states.
 *
 * @param name of the sequence
 * @param settings of the controller; those that are missing have their standard value
 * @param seed of the noise
 * @param noise standard deviation of the throughput, as a fraction
 * @param bounds of the pool
 * @param declared whether the controller is given the bounds, as a control loop does; otherwise it
 *     finds out
 * @param first size before the first decision
 * @param loads one a window
 */
record VectorSequence(
    String name,
    Map<String, String> settings,
    long seed,
    double noise,
    Bounds bounds,
    boolean declared,
    int first,
    List<VectorLoad> loads) {

  VectorSequence {
    loads = List.copyOf(loads);
  }

  /** Makes a sequence for a pool from one worker on, whose bounds are not declared. */
  private VectorSequence(
      String name,
      Map<String, String> settings,
      long seed,
      double noise,
      int ceiling,
      int first,
      List<VectorLoad> loads) {
    this(name, settings, seed, noise, new Bounds(1, ceiling), false, first, loads);
  }

  VectorPlant plant(long length) {
    return new VectorPlant(seed, length, noise, bounds, first);
  }

  /** Returns the sequences of a controller. */
  static List<VectorSequence> of(String controller) {
    return controller.equals("response-curve") ? forCurves() : forAdapters();
  }

  private static List<VectorSequence> forAdapters() {
    String objective = "disk-throughput";
    VectorLoad disk = VectorLoad.of(200, 120, 0.02, 0.0005);
    VectorLoad shared = VectorLoad.of(200, 40, 0.1, 0.002);
    VectorLoad idle = VectorLoad.of(0, 120, 0.02, 0.0005);
    return List.of(
        new VectorSequence(
            "a disk", Map.of("objective", objective), 1, 0.03, 64, 1, loads(120, disk)),
        new VectorSequence(
            "a disk for Node",
            Map.of("objective", objective, "workload", "node"),
            2,
            0.05,
            64,
            4,
            loads(160, disk)),
        new VectorSequence(
            "a neighbour comes and leaves",
            Map.of("objective", objective, "workload", "rocksdb"),
            3,
            0.02,
            32,
            8,
            loads(50, disk, 50, shared, 10, idle, 50, disk)),
        new VectorSequence(
            "tasks that end late, by their number",
            Map.of(),
            4,
            0.1,
            16,
            2,
            loads(60, disk.staying(0.5), 60, shared.staying(0.9))),
        new VectorSequence(
            "workers ask between two jobs, some of them long",
            Map.of("asked-by", "workers"),
            5,
            0.05,
            32,
            4,
            loads(
                12,
                disk,
                7,
                disk.stalls(),
                9,
                disk,
                3,
                disk.stalls(),
                30,
                disk,
                2,
                disk.stalls(),
                30,
                disk)));
  }

  private static List<VectorSequence> forCurves() {
    VectorLoad calls = VectorLoad.of(100, 20, 0.01, 0.0004);
    VectorLoad slower = VectorLoad.of(100, 6, 0.1, 0.002);
    VectorLoad narrow = VectorLoad.of(100, 50, 0.03, 0.003);
    VectorLoad wide = VectorLoad.of(100, 2, 0, 0);
    VectorLoad stuck = VectorLoad.of(100, 0.4, 0, 0);
    VectorLoad heavy = VectorLoad.of(100, 10, 0.01, 0.02).staying(0.9);
    VectorLoad stalled = VectorLoad.of(100, 2, 0.01, 0.0004);
    VectorLoad few = VectorLoad.of(3, 20, 0.01, 0.0004);
    VectorLoad none = VectorLoad.of(0, 20, 0.01, 0.0004);
    Map<String, String> two = Map.of("processors", "2");
    return List.of(
        new VectorSequence("calls to a server", two, 11, 0.08, 256, 1, loads(160, calls)),
        new VectorSequence(
            "other work, and the first again",
            two,
            12,
            0.04,
            64,
            4,
            loads(60, calls.staying(0.6), 50, slower.staying(0.6), 50, calls.staying(0.6))),
        new VectorSequence(
            "a light load, none, and a heavy one",
            two,
            13,
            0.05,
            128,
            16,
            loads(40, few, 10, none, 50, calls, 20, few)),
        new VectorSequence(
            "a load that begins at the end of a window, a pause, and the same again",
            two,
            26,
            0.05,
            256,
            16,
            loads(
                1,
                calls.late(0.9),
                60,
                calls,
                1,
                calls.late(-0.98),
                10,
                none,
                1,
                calls.late(0.95),
                20,
                calls)),
        new VectorSequence(
            "all users in service, who hinder each other",
            two,
            23,
            0.05,
            256,
            4,
            loads(60, narrow, 120, wide, 80, narrow, 40, wide)),
        new VectorSequence(
            "a stall of many workers, another, and a collapse",
            two,
            24,
            0.04,
            256,
            4,
            loads(80, wide, 1, stuck, 30, wide, 1, stuck, 120, wide, 60, heavy, 40, wide)),
        new VectorSequence(
            "a fall little by little to other work, and one of the same work",
            two,
            25,
            0.04,
            256,
            4,
            loads(
                80,
                wide,
                6,
                VectorLoad.of(100, 1.85, 0, 0),
                6,
                VectorLoad.of(100, 1.7, 0, 0),
                6,
                VectorLoad.of(100, 1.55, 0, 0),
                60,
                VectorLoad.of(100, 50, 0, 0.0033),
                80,
                wide,
                120,
                VectorLoad.of(100, 1.5, 0, 0))),
        new VectorSequence(
            "tasks that become slow, then cheaper, and work that does as much as earlier work at one size",
            two,
            26,
            0.04,
            256,
            30,
            loads(
                60,
                VectorLoad.of(200, 1000, 0, 0.1),
                8,
                VectorLoad.of(200, 2.5, 0, 0).computing(0.002),
                32,
                VectorLoad.of(200, 2.5, 0, 0).computing(0.0002),
                60,
                VectorLoad.of(200, 10, 0, 0.001),
                60,
                VectorLoad.of(200, 10.7, 0, 0))),
        new VectorSequence(
            "two workers whose tasks become slow while many wait, and a full heap",
            two,
            27,
            0.04,
            256,
            8,
            loads(
                50,
                VectorLoad.of(200, 1000, 0.5, 0.2),
                20,
                VectorLoad.of(200, 2.2, 0, 0),
                2,
                VectorLoad.of(200, 2.2, 0, 0).collecting(0.7),
                30,
                VectorLoad.of(200, 2.2, 0, 0).collecting(0.35))),
        new VectorSequence(
            "a source that slows down as the pool grows, and much more work",
            two,
            28,
            0.1,
            64,
            4,
            loads(
                100,
                VectorLoad.of(64, 250, 0, 0).sends(2000, 0.05),
                40,
                VectorLoad.of(600, 250, 0, 0.0003))),
        new VectorSequence(
            "workers that poll",
            two,
            29,
            0.06,
            64,
            4,
            loads(
                160,
                VectorLoad.of(64, 100, 0.02, 0).sends(1300, 0.02).computing(0.02).polling(0.9))),
        new VectorSequence(
            "stalls that come again and again, and noise in bursts",
            two,
            30,
            0.25,
            128,
            4,
            loads(
                60,
                calls,
                12,
                stalled,
                20,
                calls,
                12,
                stalled,
                20,
                calls,
                12,
                stalled,
                20,
                calls,
                12,
                stalled,
                20,
                calls,
                12,
                stalled,
                40,
                calls,
                12,
                VectorLoad.of(100, 60, 0.01, 0.0004),
                30,
                calls)),
        new VectorSequence(
            "slow tasks and a hang",
            Map.of("processors", "4"),
            14,
            0.1,
            64,
            2,
            loads(40, VectorLoad.of(40, 0.7, 0, 0).computing(0.05), 16, calls.stalls(), 30, calls)),
        new VectorSequence(
            "hangs with tasks of workers, without, and unknown",
            two,
            19,
            0.05,
            128,
            4,
            loads(
                60,
                calls,
                30,
                calls.stalls(3),
                20,
                calls,
                70,
                calls.stalls(),
                20,
                calls,
                70,
                calls.stalls(-1),
                10,
                calls,
                20,
                calls.computing(0.95).stalls(3))),
        new VectorSequence(
            "a hang before anything has ended",
            two,
            20,
            0.05,
            256,
            1,
            loads(70, calls.computing(0.001).stalls(), 20, calls.computing(0.001))),
        new VectorSequence(
            "a heap that fills up",
            two,
            15,
            0.03,
            512,
            1,
            loads(
                40,
                calls,
                3,
                calls.collecting(0.9),
                20,
                calls.collecting(0.02),
                2,
                calls.collecting(0.8),
                30,
                calls.collecting(0.2))),
        new VectorSequence(
            "computing tasks by their percentile",
            Map.of("processors", "2", "objective", "p99-response-time"),
            16,
            0.05,
            64,
            8,
            loads(60, VectorLoad.of(30, 50, 0.5, 0.01).computing(0.9).failing(0.01))),
        new VectorSequence(
            "rejected tasks, with a bound on the response time",
            Map.of("processors", "2", "objective", "goodput:300ms", "tolerance", "0.1"),
            17,
            0.06,
            64,
            4,
            loads(70, calls.rejects().staying(0.3), 30, few)),
        new VectorSequence(
            "other work that does about the same at the size in force",
            two,
            32,
            0.15,
            256,
            16,
            loads(
                140,
                VectorLoad.of(200, 3, 0, 0.0009),
                50,
                VectorLoad.of(200, 5.3, 0.1, 0),
                90,
                VectorLoad.of(200, 2.5, 0, 0))),
        new VectorSequence(
            "bounds within which the best size never is",
            two,
            31,
            0.05,
            new Bounds(4, 12),
            true,
            6,
            loads(80, wide, 80, VectorLoad.of(100, 50, 0.3, 0.1), 80, calls, 20, few)),
        new VectorSequence(
            "a disk",
            Map.of("processors", "2", "objective", "disk-throughput"),
            18,
            0.1,
            64,
            4,
            loads(80, VectorLoad.of(200, 120, 0.02, 0.0005), 60, calls.computing(0.3))));
  }

  /** Returns pairs of a number of windows and their load, written out. */
  private static List<VectorLoad> loads(Object... pairs) {
    List<VectorLoad> loads = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      for (int n = (Integer) pairs[i]; n > 0; n--) {
        loads.add((VectorLoad) pairs[i + 1]);
      }
    }
    return loads;
  }
}
