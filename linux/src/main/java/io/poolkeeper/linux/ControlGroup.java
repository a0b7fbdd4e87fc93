package io.poolkeeper.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The control group of this process, in version 2, in version 1, or where both are mounted.
 *
 * <p>Only version 2 knows pressure; where both are mounted, the group of version 2 has it.
 */
public final class ControlGroup {

  /**
   * Input and output of a control group on all its devices.
   *
   * @param readBytes bytes fetched from devices
   * @param writtenBytes bytes written to devices
   */
  public record GroupIo(long readBytes, long writtenBytes) {}

  private record Mount(Path point, String root, String type, List<String> options) {}

  private static final String UNIFIED = "";
  private static final String BLOCK_DEVICES = "blkio";

  private final Path self;

  /**
   * @param self folder of the process below /proc
   */
  ControlGroup(Path self) {
    this.self = self;
  }

  /** Returns the version whose controller limits block devices, 1 or 2. */
  public Sample<Integer> version() {
    if (folder(BLOCK_DEVICES) instanceof Sample.Value<Path>) {
      return Sample.of(1);
    }
    return folder(UNIFIED).map(path -> 2);
  }

  /** Makes the probe of the group's pressure, which needs version 2. */
  public Probe<Pressure> pressure(Pressure.Resource resource) {
    Sample<Path> folder = folder(UNIFIED);
    if (folder instanceof Sample.Value<Path> found) {
      Path file = found.value().resolve(resource.file() + ".pressure");
      return new FileProbe<>(
          file,
          FileProbe.OF_GROUP,
          () -> "the control group " + found.value() + " has no pressure (PSI)",
          Pressure::parse);
    }
    boolean first = folder(BLOCK_DEVICES) instanceof Sample.Value<Path>;
    return absent(
        first
            ? "control groups of version 1 have no pressure"
            : folder.problem().orElse("no control group"));
  }

  /** Makes the probe of the group's input and output. */
  public Probe<GroupIo> io() {
    if (folder(BLOCK_DEVICES) instanceof Sample.Value<Path> first) {
      String all = "blkio.throttle.io_service_bytes_recursive";
      Path recursive = first.value().resolve(all);
      Path file =
          Files.exists(recursive)
              ? recursive
              : first.value().resolve("blkio.throttle.io_service_bytes");
      return new FileProbe<>(
          file,
          FileProbe.OF_GROUP,
          () -> "the control group " + first.value() + " counts no I/O",
          ControlGroup::first);
    }
    Sample<Path> folder = folder(UNIFIED);
    if (folder instanceof Sample.Value<Path> second) {
      return new FileProbe<>(
          second.value().resolve("io.stat"),
          FileProbe.OF_GROUP,
          () -> "the control group " + second.value() + " counts no I/O: it has no io controller",
          ControlGroup::second);
    }
    return absent(folder.problem().orElse("no control group"));
  }

  private static <T> Probe<T> absent(String reason) {
    return new Probe<>() {
      @Override
      public Sample<T> read() {
        return Sample.missing(reason);
      }

      @Override
      public void close() {}
    };
  }

  /** Reads lines such as {@code 8:0 Read 4096}, and a last one {@code Total 4096}. */
  private static GroupIo first(Fields fields) {
    long read = 0;
    long written = 0;
    while (fields.hasMore()) {
      String device = fields.word();
      String kind = device.equals("Total") ? device : fields.word();
      long bytes = fields.counter();
      read += kind.equals("Read") ? bytes : 0;
      written += kind.equals("Write") ? bytes : 0;
    }
    return new GroupIo(read, written);
  }

  /** Reads lines such as {@code 8:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0}. */
  private static GroupIo second(Fields fields) {
    long read = 0;
    long written = 0;
    while (fields.hasMore()) {
      String word = fields.word();
      read += value(word, "rbytes=");
      written += value(word, "wbytes=");
    }
    return new GroupIo(read, written);
  }

  private static long value(String word, String label) {
    return word.startsWith(label) ? Long.parseUnsignedLong(word.substring(label.length())) : 0;
  }

  /** Returns the folder of the group of a controller of version 1, or of version 2. */
  private Sample<Path> folder(String controller) {
    try {
      Optional<String> group = group(controller);
      Optional<Mount> mount = mount(controller);
      return group.isPresent() && mount.isPresent()
          ? Sample.of(within(mount.get(), group.get()))
          : Sample.missing(
              controller.isEmpty()
                  ? "no control group of version 2 is mounted"
                  : "no control group with " + controller + " is mounted");
    } catch (IOException | RuntimeException e) {
      return Sample.missing(self + ": its control group cannot be read");
    }
  }

  /** Returns the path of the group: lines are {@code 7:blkio:/path}, or {@code 0::/path}. */
  private Optional<String> group(String controller) throws IOException {
    for (String line : Files.readAllLines(self.resolve("cgroup"))) {
      String[] parts = line.split(":", 3);
      if (parts.length == 3 && Arrays.asList(parts[1].split(",", -1)).contains(controller)) {
        return Optional.of(parts[2]);
      }
    }
    return Optional.empty();
  }

  private Optional<Mount> mount(String controller) throws IOException {
    for (Mount mount : mounts()) {
      boolean fits =
          controller.isEmpty()
              ? mount.type().equals("cgroup2")
              : mount.type().equals("cgroup") && mount.options().contains(controller);
      if (fits) {
        return Optional.of(mount);
      }
    }
    return Optional.empty();
  }

  /** Lines are {@code id parent major:minor root point options tags - type source options}. */
  private List<Mount> mounts() throws IOException {
    List<Mount> mounts = new ArrayList<>();
    for (String line : Files.readAllLines(self.resolve("mountinfo"))) {
      String[] halves = line.split(" - ", 2);
      String[] before = halves[0].split(" ", -1);
      String[] after = halves.length == 2 ? halves[1].split(" ", -1) : new String[0];
      if (before.length > 4 && after.length > 2) {
        mounts.add(
            new Mount(
                Path.of(unescape(before[4])),
                unescape(before[3]),
                after[0],
                List.of(after[2].split(",", -1))));
      }
    }
    return mounts;
  }

  private static String unescape(String text) {
    return text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
  }

  /** In a container the root of the mount is often the group itself. */
  private static Path within(Mount mount, String group) {
    String rest = group.startsWith(mount.root()) ? group.substring(mount.root().length()) : "";
    Path folder = mount.point().resolve(rest.replaceFirst("^/+", ""));
    return Files.exists(folder) ? folder : mount.point();
  }
}
