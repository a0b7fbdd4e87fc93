package io.poolkeeper.linux;

import io.poolkeeper.DiskStats;
import io.poolkeeper.DiskStats.BlockedSource;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Native threads of this process that have a name, such as those of a library in C++: their number,
 * their states and their traffic. For threads that Java cannot ask itself.
 *
 * <p>A thread counts from its start, or from the making of this if it is older. Its traffic between
 * the last measurement and its end is lost.
 */
public final class NamedThreads implements AutoCloseable {

  /**
   * Looks after which a thread of another name is not asked again: a new one gets its name late.
   */
  private static final int LOOKS_FOR_A_NAME = 3;

  /**
   * Threads since the look before.
   *
   * @param threads number of threads now
   * @param busy mean number that ran, wanted to run, or waited for a device
   * @param cpuNanos CPU time of theirs, in steps of 10 ms
   * @param disk their input and output
   */
  public record Usage(int threads, double busy, long cpuNanos, DiskStats disk) {}

  private static final class Watched implements AutoCloseable {
    final Probe<IoCounters> io;
    final Probe<TaskStat> stat;
    @Nullable IoCounters last;
    long cpuNanos;

    Watched(@Nullable IoCounters start, Probe<IoCounters> io, Probe<TaskStat> stat) {
      this.last = start;
      this.io = io;
      this.stat = stat;
    }

    @Override
    public void close() {
      io.close();
      stat.close();
    }
  }

  private final Proc proc;
  private final Predicate<String> name;
  private final Map<Long, Watched> threads = new HashMap<>();
  private final Map<Long, Integer> others = new HashMap<>();
  private int changes;
  private int samples;
  private long busy;
  private long blocked;
  private boolean closed;

  /** Counters of a thread that is found now: unknown at first, and none of a new thread. */
  private @Nullable IoCounters start;

  /**
   * Watches the threads of a name.
   *
   * @param name name as the kernel has it, 15 bytes at most
   */
  public NamedThreads(Proc proc, String name) {
    this(proc, name::equals);
  }

  /** Watches the threads whose names, of 15 bytes at most, fulfil a condition. */
  public NamedThreads(Proc proc, Predicate<String> name) {
    this.proc = proc;
    this.name = name;
    measure();
    start = IoCounters.NONE;
  }

  /** Looks at the states of the threads; several looks between two measurements make a mean. */
  public synchronized void look() {
    for (Watched watched : threads.values()) {
      if (watched.stat.read() instanceof Sample.Value<TaskStat> read) {
        busy += read.value().state() == 'R' || read.value().blocked() ? 1 : 0;
        blocked += read.value().blocked() ? 1 : 0;
      }
    }
    samples++;
  }

  /** Finds the threads anew, and returns what they did since the measurement before. */
  public synchronized Usage measure() {
    Optional<String> problem = find();
    look();
    IoCounters sum = IoCounters.NONE;
    long cpu = 0;
    for (Iterator<Watched> each = threads.values().iterator(); each.hasNext(); ) {
      Watched watched = each.next();
      Sample<IoCounters> io = watched.io.read();
      IoCounters before = watched.last;
      watched.last = io.toOptional().orElse(null);
      if (watched.last == null) { // It ended since it was found, or cannot be read at all.
        problem = problem.or(() -> io.problem().filter(why -> !why.endsWith("has ended")));
        watched.close();
        each.remove();
        continue;
      }
      Sample<IoCounters> change =
          before == null ? Sample.of(IoCounters.NONE) : watched.last.since(before);
      sum = sum.plus(change.toOptional().orElse(IoCounters.NONE));
      cpu += newCpu(watched, before == null);
    }
    DiskStats disk =
        problem.isPresent()
            ? DiskStats.missing(problem.get())
            : new DiskStats(
                sum.logicalBytes(),
                sum.readBytes(),
                sum.writtenBytes(),
                sum.calls(),
                (double) blocked / samples,
                BlockedSource.STATE_SAMPLES,
                changes,
                Optional.empty());
    Usage usage = new Usage(threads.size(), (double) busy / samples, cpu, disk);
    changes = 0;
    samples = 0;
    busy = 0;
    blocked = 0;
    return usage;
  }

  private static long newCpu(Watched watched, boolean first) {
    long before = watched.cpuNanos;
    watched.cpuNanos =
        watched
            .stat
            .read()
            .toOptional()
            .map(stat -> stat.userNanos() + stat.systemNanos())
            .orElse(before);
    return first ? 0 : watched.cpuNanos - before;
  }

  /** Returns why the threads cannot be found; empty if they were. */
  private Optional<String> find() {
    if (closed) {
      return Optional.of("the threads are watched no more");
    }
    Sample<Set<Long>> present = proc.threads();
    Set<Long> ids = present.toOptional().orElse(Set.of());
    others.keySet().retainAll(ids);
    for (Iterator<Map.Entry<Long, Watched>> each = threads.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<Long, Watched> entry = each.next();
      if (!ids.contains(entry.getKey())) {
        entry.getValue().close();
        each.remove();
        changes++;
      }
    }
    for (long id : ids) {
      if (!threads.containsKey(id) && others.getOrDefault(id, 0) < LOOKS_FOR_A_NAME) {
        if (proc.threadName(id).toOptional().filter(name).isPresent()) {
          threads.put(id, new Watched(start, proc.threadIo(id), proc.threadStat(id)));
          others.remove(id);
          changes++;
        } else {
          others.merge(id, 1, Integer::sum);
        }
      }
    }
    return present.problem();
  }

  @Override
  public synchronized void close() {
    threads.values().forEach(Watched::close);
    threads.clear();
    closed = true;
  }
}
