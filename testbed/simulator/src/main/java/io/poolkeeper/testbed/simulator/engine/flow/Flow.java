package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.simulator.engine.event.Events;
import io.poolkeeper.testbed.simulator.engine.event.Tasks;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import io.poolkeeper.testbed.simulator.engine.pool.Replica;
import io.poolkeeper.testbed.simulator.engine.pool.SimulatedPool;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The way of a task: it comes to a pool, goes through its program, ends, and tells who waits. */
public final class Flow {

  /** Steps without the passing of time, after which no time will ever pass. */
  private static final int MOST_STEPS_AT_ONCE = 50_000_000;

  final Events events;
  public final Tasks tasks;
  private final List<Program> programs = new ArrayList<>();
  private final List<Source> sources = new ArrayList<>();
  private long stepsAt = -1;
  private int steps;

  public Flow(Events events, Tasks tasks) {
    this.events = events;
    this.tasks = tasks;
  }

  /** Makes the next program; its instructions are set later, because they may be its own calls. */
  public Program program(@Nullable SimulatedPool pool, @Nullable Replica replica) {
    Program program = new Program(programs.size(), pool, replica);
    programs.add(program);
    return program;
  }

  public void add(Source source) {
    sources.add(source);
  }

  /** A client of a source sends a request. */
  void send(int source, int client, int request, Target target, long now) {
    int task = tasks.take();
    tasks.parent[task] = -1 - source;
    tasks.client[task] = client;
    tasks.request[task] = request;
    arrive(task, target.choose(), now);
  }

  /** A task begins another and waits for it. */
  void call(int parent, Target target, long now) {
    int task = tasks.take();
    tasks.parent[task] = parent;
    arrive(task, target.choose(), now);
  }

  private void arrive(int task, Program program, long now) {
    tasks.program[task] = program.number;
    tasks.step[task] = 0;
    if (program.replica != null) {
      program.replica.requests++;
    }
    if (program.pool == null) {
      tasks.arrived[task] = now;
      events.ready(task);
    } else if (!program.pool.offer(task, now)) {
      leave(task, program, true, now);
    }
  }

  /** A task answers before it ends: the one that waits for it goes on. */
  void answer(int task, long now) {
    int parent = tasks.parent[task];
    tasks.parent[task] = Tasks.ANSWERED;
    if (parent < 0) {
      sources
          .get(-1 - parent)
          .answered(tasks.client[task], tasks.request[task], tasks.arrived[task], false, now);
    } else {
      events.ready(parent);
    }
  }

  /** Lets all tasks go on that can at this instant. */
  public void drain(long now) {
    while (events.hasReady()) {
      advance(events.nextReady(), now);
    }
  }

  /** A task goes on with its next step. */
  void advance(int task, long now) {
    if (now != stepsAt) {
      stepsAt = now;
      steps = 0;
    }
    steps++;
    if (steps > MOST_STEPS_AT_ONCE) {
      throw new IllegalStateException(
          "time stands still at %s s: requests that take no time follow each other without thinking"
              .formatted(Time.seconds(now)));
    }
    Program program = programs.get(tasks.program[task]);
    Op[] ops = program.ops;
    int step = tasks.step[task];
    while (step >= 0) {
      int next = step + 1;
      tasks.step[task] = next;
      step = step == ops.length ? Op.END : ops[step].begin(task, next, now);
    }
    if (step == Op.END) {
      if (program.pool != null) {
        program.pool.ended(task, false, now);
      }
      leave(task, program, false, now);
    }
  }

  /** A step that had put itself on the calendar has ended. */
  public void stepEnded(int task, long now) {
    Program program = programs.get(tasks.program[task]);
    program.ops[tasks.step[task] - 1].end(now);
    advance(task, now);
  }

  /** Ends a task. The one that waits for it goes on, or ends as well if the task failed. */
  private void leave(int task, Program program, boolean failed, long now) {
    if (program.replica != null) {
      program.replica.requests--;
    }
    int parent = tasks.parent[task];
    if (parent == Tasks.ANSWERED) {
      tasks.giveBack(task);
    } else if (parent < 0) {
      int client = tasks.client[task];
      int request = tasks.request[task];
      long arrived = tasks.arrived[task];
      tasks.giveBack(task);
      sources.get(-1 - parent).answered(client, request, arrived, failed, now);
    } else {
      tasks.giveBack(task);
      if (failed) {
        Program waiting = programs.get(tasks.program[parent]);
        if (waiting.pool != null) {
          waiting.pool.ended(parent, true, now);
        }
        leave(parent, waiting, true, now);
      } else {
        events.ready(parent);
      }
    }
  }
}
