package io.poolkeeper.testbed.servers.architectures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

final class VirtualThreadsTest {

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void anOlderJdkIsToldHowToChooseANewerOne() {
    assertThat(VirtualThreads.available()).isFalse();
    assertThatThrownBy(VirtualThreads::executor)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("this is " + Runtime.version().feature())
        .hasMessageContaining("JAVA_HOME=")
        .hasMessageNotContaining("\n");
  }
}
