package io.poolkeeper.testbed.applications;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PrimeTest {

  @Test
  void agreesWithTheJdk() {
    for (int n = 2; n < 5_000; n++) {
      assertThat(Prime.isPrime(n)).as("%d", n).isEqualTo(BigInteger.valueOf(n).isProbablePrime(50));
    }
    // The only two primes that prime1m and prime10m draw.
    assertThat(Prime.isPrime(1_000_003)).isTrue();
    assertThat(Prime.isPrime(10_000_019)).isTrue();
  }

  @Test
  void drawsFromTheWholeRange() throws Exception {
    Set<String> answers = new HashSet<>();
    Application application = Applications.named("prime1m", 0, 1, null);
    for (int i = 0; i < 500; i++) {
      answers.add(application.answer());
    }
    assertThat(answers).containsExactlyInAnyOrder("true", "false");
    assertThat(new Prime(4, 4, new Draws(1)).answer()).isEqualTo("false");
    assertThat(Applications.named("prime", 11, 1, null).answer()).isEqualTo("true");
  }
}
