package io.poolkeeper.internal.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class WorkerThreadsTest {

  /** Threads come and leave, more of them than any table has slots. */
  @Test
  void holdsThoseThatCameAndHaveNotLeft() {
    SplittableRandom random = new SplittableRandom(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      threads.add(new Thread(() -> {}));
    }
    WorkerThreads present = new WorkerThreads();
    Set<Thread> expected = new HashSet<>();
    for (int step = 0; step < 20_000; step++) {
      int most = step % 5_000 < 2_500 ? 500 : 20;
      Thread thread = threads.get(random.nextInt(most));
      if (expected.remove(thread)) {
        present.remove(thread);
      } else {
        expected.add(thread);
        present.add(thread);
      }
      Thread any = threads.get(random.nextInt(500));
      assertThat(present.contain(any)).isEqualTo(expected.contains(any));
    }
    assertThat(threads).allMatch(each -> present.contain(each) == expected.contains(each));
  }
}
