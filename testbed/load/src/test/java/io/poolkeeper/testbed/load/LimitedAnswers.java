package io.poolkeeper.testbed.load;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * A script that answers so many requests and no more. Closed users then come to rest: when all of
 * them wait for an answer that never comes, each has read the one before, and the load may be
 * stopped with every count known.
 */
final class LimitedAnswers implements ScriptedServer.Script {

  private final Semaphore left;
  private final CountDownLatch waiting;
  private final CountDownLatch never = new CountDownLatch(1);
  private final ScriptedServer.Script script;

  /**
   * @param answers requests that are answered
   * @param users users of the load
   * @param script reaction to a request that is answered
   */
  LimitedAnswers(int answers, int users, ScriptedServer.Script script) {
    left = new Semaphore(answers);
    waiting = new CountDownLatch(users);
    this.script = script;
  }

  @Override
  public void answer(ScriptedServer.Client client) throws IOException, InterruptedException {
    if (!left.tryAcquire()) {
      waiting.countDown();
      never.await();
    }
    script.answer(client);
  }

  /** Waits until all users wait in vain. */
  void awaitRest() throws InterruptedException {
    waiting.await();
  }
}
