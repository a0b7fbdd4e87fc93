package io.poolkeeper.testbed.servers.architectures;

import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.servers.handover.HandOver;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A way to build a server: how it does input and output, and how it hands requests over.
 *
 * @param name by which options and experiments know it
 * @param threads who does what, in one line
 * @param choose when one would choose it
 */
public record Architecture(
    String name, InputOutput inputOutput, HandOver handOver, String threads, String choose) {

  /** Ways in which bytes come and go. */
  public enum InputOutput {
    BLOCKING,
    NIO,
    NIO2,
    SEDA,
    NETTY,
    PLAIN_NETTY,
    VIRTUAL
  }

  /** The one that serves unless told otherwise. */
  public static final String DEFAULT = "netty-queue";

  /**
   * Netty with its own codec, which others are measured against; it knows fewer limits than they,
   * so that no one is to be faster by being careless.
   */
  public static final Architecture BASELINE =
      new Architecture(
          "plain-netty",
          InputOutput.PLAIN_NETTY,
          HandOver.NONE,
          "event loops accept, read and write with Netty's own codec, and process",
          "to compare the others with it");

  /**
   * The one of a server with {@code --admission}. It refuses by design what others have wait, so it
   * is not among those that are compared by their architecture.
   */
  public static final Architecture ADMISSION =
      new Architecture(
          "netty-limiter",
          InputOutput.NETTY,
          HandOver.LIMITER,
          "event loops accept, read, write and refuse; each admitted request has a thread",
          "more may come than can be served");

  /**
   * All that pass the kit of conformance tests: the twelve of Tennage (2020), and those that people
   * would choose today.
   */
  public static final List<Architecture> ALL = all();

  private static List<Architecture> all() {
    List<Architecture> all = new ArrayList<>();
    String handled = "a handler reads, processes and writes";
    all.add(
        new Architecture(
            "blocking",
            InputOutput.BLOCKING,
            HandOver.QUEUE,
            "one thread accepts; connections wait in a queue; " + handled,
            "few connections, simple code, work that blocks"));
    all.add(
        new Architecture(
            "blocking-disruptor",
            InputOutput.BLOCKING,
            HandOver.DISRUPTOR,
            "one thread accepts; connections lie on a ring; " + handled,
            "to compare the ring with the queue; there is little else for it here"));
    all.add(
        new Architecture(
            "blocking-actor",
            InputOutput.BLOCKING,
            HandOver.ACTOR,
            "one thread accepts; connections are dealt to actors; " + handled,
            "where actors are what the rest is made of"));
    String reactor = "one thread accepts, reads and writes";
    all.add(
        new Architecture(
            "nio",
            InputOutput.NIO,
            HandOver.NONE,
            reactor + ", and processes",
            "tiny work that never blocks, on one processor"));
    handedOver(all, "nio", InputOutput.NIO, reactor);
    String completion = "threads of completion handlers read and write";
    all.add(
        new Architecture(
            "nio2",
            InputOutput.NIO2,
            HandOver.NONE,
            completion + ", and process",
            "small work that seldom blocks, on several processors"));
    handedOver(all, "nio2", InputOutput.NIO2, completion);
    String staged = "one thread accepts; reading, processing and writing are stages of handlers ";
    all.add(
        new Architecture(
            "seda-queue",
            InputOutput.SEDA,
            HandOver.QUEUE,
            staged + "with a queue each",
            "work of stages that want sizes of their own"));
    all.add(
        new Architecture(
            "seda-disruptor",
            InputOutput.SEDA,
            HandOver.DISRUPTOR,
            staged + "on a ring each",
            "to compare the ring with the queue"));
    all.add(
        new Architecture(
            "seda-actor",
            InputOutput.SEDA,
            HandOver.ACTOR,
            staged + "that are actors",
            "to compare actors with the queue"));
    String loops = "event loops accept, read and write";
    all.add(
        new Architecture(
            "netty",
            InputOutput.NETTY,
            HandOver.NONE,
            loops + ", and process",
            "small work that never blocks"));
    all.add(
        new Architecture(
            DEFAULT,
            InputOutput.NETTY,
            HandOver.QUEUE,
            loops + "; a pool of workers processes",
            "work that blocks: the pool finds its size"));
    String each = "a virtual thread a connection reads, processes and writes";
    all.add(
        new Architecture(
            "virtual",
            InputOutput.VIRTUAL,
            HandOver.NONE,
            each,
            "work that blocks, on JDK 21 or later, where what is called bounds itself"));
    all.add(
        new Architecture(
            "virtual-limiter",
            InputOutput.VIRTUAL,
            HandOver.LIMITER,
            each + "; a limiter says how many process at once",
            "work that blocks, on JDK 21 or later, where what is called suffers from too many"));
    return List.copyOf(all);
  }

  private static void handedOver(
      List<Architecture> all, String name, InputOutput inputOutput, String who) {
    all.add(
        new Architecture(
            name + "-disruptor",
            inputOutput,
            HandOver.DISRUPTOR,
            who + "; handlers claim requests on a ring and process",
            "work that blocks or takes long, in handlers that share what comes"));
    all.add(
        new Architecture(
            name + "-actor",
            inputOutput,
            HandOver.ACTOR,
            who + "; actors process",
            "work that blocks or takes long, where actors are what the rest is made of"));
  }

  /**
   * The architecture of that name.
   *
   * @throws IllegalArgumentException with the nearest valid name if there is none
   */
  public static Architecture named(String name) {
    List<String> names = names();
    return startable().get(names.indexOf(Names.require("architecture", name, names)));
  }

  /** Names of all that can be started, the baseline last. */
  public static List<String> names() {
    return startable().stream().map(Architecture::name).toList();
  }

  private static List<Architecture> startable() {
    return Stream.concat(ALL.stream(), Stream.of(BASELINE)).toList();
  }
}
