package io.poolkeeper.testbed.simulator.engine.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The calendar against a sorted queue that is too simple to be wrong. */
final class CalendarTest {

  private record Event(int at, int kind, int added) {}

  /** Every number is one event to add, or, where it is 0, one to take; times collide often. */
  @Property(tries = 300)
  void eventsComeByTimeThenKindThenOrderOfAdding(
      @ForAll @Size(max = 500) List<@IntRange(min = 0, max = 60) Integer> moves) {
    Calendar calendar = new Calendar();
    PriorityQueue<Event> expected =
        new PriorityQueue<>(
            Comparator.comparingInt(Event::at)
                .thenComparingInt(Event::kind)
                .thenComparingInt(Event::added));
    int added = 0;
    for (int move : moves) {
      if (move > 20) {
        Event event = new Event(move % 6, move % 7, added);
        calendar.add(event.at, event.kind, event.added);
        expected.add(event);
        added++;
      } else {
        takeBoth(calendar, expected);
      }
      assertThat(calendar.isEmpty()).isEqualTo(expected.isEmpty());
    }
    while (!expected.isEmpty()) {
      takeBoth(calendar, expected);
    }
    assertThat(calendar.isEmpty()).isTrue();
  }

  private static void takeBoth(Calendar calendar, PriorityQueue<Event> expected) {
    Event event = expected.poll();
    if (event == null) {
      assertThat(calendar.isEmpty()).isTrue();
      return;
    }
    assertThat(calendar.nextTime()).isEqualTo(event.at);
    calendar.take();
    assertThat(calendar.time()).isEqualTo(event.at);
    assertThat(calendar.kind()).isEqualTo(event.kind);
    assertThat(calendar.number()).isEqualTo(event.added);
  }
}
