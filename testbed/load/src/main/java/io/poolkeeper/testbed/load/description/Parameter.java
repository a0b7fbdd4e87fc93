package io.poolkeeper.testbed.load.description;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.rng.UniformRandomProvider;

/** A part of requests that differs from one to the next. */
public sealed interface Parameter {

  /** Returns a value. */
  String draw(UniformRandomProvider random);

  /**
   * A whole number, each with the same probability.
   *
   * @param first smallest
   * @param last largest
   */
  record Range(int first, int last) implements Parameter {
    @Override
    public String draw(UniformRandomProvider random) {
      return Long.toString(first + random.nextLong((long) last - first + 1));
    }
  }

  /** One of some texts, each with the same probability. */
  record Choice(List<String> texts) implements Parameter {
    public Choice {
      texts = List.copyOf(texts);
    }

    @Override
    public String draw(UniformRandomProvider random) {
      return texts.get(random.nextInt(texts.size()));
    }
  }

  /** A text of letters and digits that no request had before, in this load or an earlier one. */
  record Unique() implements Parameter {
    private static final String START = Long.toString(System.currentTimeMillis(), 36) + 'x';
    private static final AtomicLong LAST = new AtomicLong();

    @Override
    public String draw(UniformRandomProvider random) {
      return START + Long.toString(LAST.incrementAndGet(), 36);
    }
  }
}
