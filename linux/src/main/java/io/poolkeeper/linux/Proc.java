package io.poolkeeper.linux;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The proc file system: makes the {@linkplain Probe probes} of this process and of the machine.
 *
 * <p>Making a probe opens nothing and never fails; its first read does, and says why where the
 * kernel has nothing to offer.
 */
public final class Proc {

  private final Path root;

  private Proc(Path root) {
    this.root = root;
  }

  /** Returns the one of this machine, at {@code /proc}. */
  public static Proc ofMachine() {
    return at(Path.of("/proc"));
  }

  /** Returns one that is mounted elsewhere. */
  public static Proc at(Path root) {
    return new Proc(root);
  }

  /** Returns the kernel's id of the calling thread; it must be a platform thread. */
  public Sample<Long> currentThread() {
    Path link = root.resolve("thread-self");
    try {
      return Sample.of(Long.parseLong(Files.readSymbolicLink(link).getFileName().toString()));
    } catch (IOException | NumberFormatException e) {
      return Sample.missing(unlessMounted(link + ": cannot be read"));
    }
  }

  /** Returns the kernel's ids of all threads of this process, those of native libraries too. */
  public Sample<Set<Long>> threads() {
    Path tasks = root.resolve("self/task");
    Set<Long> ids = new HashSet<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(tasks)) {
      for (Path folder : folders) {
        ids.add(Long.parseLong(folder.getFileName().toString()));
      }
      return Sample.of(ids);
    } catch (IOException | DirectoryIteratorException | NumberFormatException e) {
      return Sample.missing(unlessMounted(tasks + ": cannot be read"));
    }
  }

  /** Returns the name of a thread of this process, of which the kernel keeps 15 bytes. */
  public Sample<String> threadName(long thread) {
    Path file = root.resolve("self/task").resolve(Long.toString(thread)).resolve("comm");
    try {
      return Sample.of(Files.readString(file).strip());
    } catch (IOException e) {
      return Sample.missing(unlessMounted("thread " + thread + " has ended"));
    }
  }

  /** Makes the probe of the input and output of a thread of this process. */
  public Probe<IoCounters> threadIo(long thread) {
    return ofThread(thread, "io", IoCounters::parse);
  }

  /** Makes the probe of the input and output of this process, threads that ended included. */
  public Probe<IoCounters> processIo() {
    return ofProcess("io", IoCounters::parse);
  }

  /** Makes the probe of the times of a thread on and before a processor. */
  public Probe<ScheduleCounters> threadSchedule(long thread) {
    return ofThread(thread, "schedstat", ScheduleCounters::parse);
  }

  /**
   * Makes the probe of the same of all threads of this process that are alive, which takes a file
   * each. The kernel keeps no sum: the times of a thread vanish with it, and {@link
   * ScheduleCounters#since} may be missing then.
   */
  public Probe<ScheduleCounters> processSchedule() {
    return new Probe<>() {
      @Override
      public Sample<ScheduleCounters> read() {
        return sumOfThreads();
      }

      @Override
      public void close() {}
    };
  }

  /** Makes the probe of the state of a thread. */
  public Probe<TaskStat> threadStat(long thread) {
    return ofThread(thread, "stat", TaskStat::parse);
  }

  /** Makes the probe of the CPU times of this process; the state is that of its first thread. */
  public Probe<TaskStat> processStat() {
    return ofProcess("stat", TaskStat::parse);
  }

  /** Makes the probe of the pressure of the machine. */
  public Probe<Pressure> pressure(Pressure.Resource resource) {
    return new FileProbe<>(
        root.resolve("pressure").resolve(resource.file()),
        FileProbe.OF_TASK,
        () ->
            unlessMounted(
                "the kernel offers no pressure (PSI): it needs CONFIG_PSI, and on some kernels psi=1"
                    + " at its start"),
        Pressure::parse);
  }

  /** Returns the control group of this process. */
  public ControlGroup controlGroup() {
    return new ControlGroup(root.resolve("self"));
  }

  /**
   * Returns whether the kernel counts the time for which threads wait for block devices ({@code
   * sysctl kernel.task_delayacct}, which root may set; off by default since Linux 5.14). Missing on
   * kernels before that, which do not tell.
   */
  public Sample<Boolean> delayAccounting() {
    Path file = root.resolve("sys/kernel/task_delayacct");
    try {
      return Sample.of(!Files.readString(file).strip().equals("0"));
    } catch (AccessDeniedException e) {
      return Sample.missing(file + ": permission denied");
    } catch (IOException e) {
      return Sample.missing(unlessMounted("the kernel does not tell whether it accounts delays"));
    }
  }

  private Sample<ScheduleCounters> sumOfThreads() {
    Sample<Set<Long>> ids = threads();
    ScheduleCounters sum = new ScheduleCounters(0, 0, 0);
    String problem = ids.problem().orElse("");
    int threads = 0;
    for (long id : ids.toOptional().orElse(Set.of())) {
      try (Probe<ScheduleCounters> probe = threadSchedule(id)) {
        Sample<ScheduleCounters> read = probe.read();
        if (read instanceof Sample.Value<ScheduleCounters> counters) {
          sum = sum.plus(counters.value());
          threads++;
        } else {
          problem = read.problem().orElse("");
        }
      }
    }
    return threads > 0 ? Sample.of(sum) : Sample.missing(problem);
  }

  private <T> Probe<T> ofThread(long thread, String file, Function<Fields, T> format) {
    Path folder = root.resolve("self/task").resolve(Long.toString(thread));
    Supplier<String> whyAbsent =
        () ->
            Files.exists(folder)
                ? notOffered(file)
                : unlessMounted("thread " + thread + " has ended");
    return new FileProbe<>(folder.resolve(file), FileProbe.OF_TASK, whyAbsent, format);
  }

  private <T> Probe<T> ofProcess(String file, Function<Fields, T> format) {
    Supplier<String> whyAbsent = () -> unlessMounted(notOffered(file));
    return new FileProbe<>(
        root.resolve("self").resolve(file), FileProbe.OF_TASK, whyAbsent, format);
  }

  private static String notOffered(String file) {
    return switch (file) {
      case "io" -> "the kernel counts no input and output of tasks (CONFIG_TASK_IO_ACCOUNTING)";
      case "schedstat" -> "the kernel keeps no scheduler statistics (CONFIG_SCHED_INFO)";
      default -> "the kernel offers no file " + file;
    };
  }

  /** Returns the reason, unless there is a plainer one. */
  private String unlessMounted(String reason) {
    return Files.exists(root.resolve("self")) ? reason : root + " is not mounted";
  }
}
