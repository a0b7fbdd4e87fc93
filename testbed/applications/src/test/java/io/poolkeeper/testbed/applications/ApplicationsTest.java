package io.poolkeeper.testbed.applications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ApplicationsTest {

  @Test
  void anUnknownNameIsAnsweredWithTheNearestOne() {
    assertThatThrownBy(() -> Applications.named("dbwirte", 11, 1, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'dbwirte'")
        .hasMessageContaining("did you mean 'dbwrite'?")
        .hasMessageContaining("prime10m");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dbwrite", "dbread", "db", "hot-rows"})
  void whatNeedsADatabaseSaysSo(String name) {
    assertThat(Applications.needsDatabase(name)).isTrue();
    assertThatThrownBy(() -> Applications.named(name, 11, 1, null))
        .hasMessage(name + " needs a database: give --jdbc-url");
  }

  @Test
  void aNumberBelowTwoIsNamed() {
    assertThatThrownBy(() -> Applications.named("prime", 1, 1, null))
        .hasMessage("n must be >= 2, but is 1");
  }

  @Test
  void primeTestsItsNumber() throws Exception {
    try (Application eleven = Applications.named("prime", 11, 1, null);
        Application twelve = Applications.named("prime", 12, 1, null)) {
      assertThat(eleven.answer()).isEqualTo("true");
      assertThat(twelve.answer()).isEqualTo("false");
    }
  }

  @ParameterizedTest
  @CsvSource({"io-10,10", "io-1024,1024"})
  void messagesHaveTheSizeOfTheirName(String name, int bytes) throws Exception {
    assertThat(Applications.named(name, 0, 1, null).answer()).isASCII().hasSize(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu-11", "cpu-541", "cpu-27059", "cpu-66601", "cpu-1303031"})
  void theNumbersTestedArePrimeSoThatEachCostsAsManyDivisions(String name) throws Exception {
    assertThat(Applications.named(name, 12, 1, null).answer()).isEqualTo("true");
  }

  @Test
  void whatTheDatabaseIsNotNeededForSaysSo() {
    assertThat(Applications.NAMES.stream().filter(Applications::needsDatabase))
        .containsExactly("dbwrite", "dbread", "db", "hot-rows");
  }

  @ParameterizedTest
  @CsvSource({"io-1,io-10", "cpu-27095,cpu-27059", "memory-20,memory-10"})
  void aSizeThatThereIsNotIsAnsweredWithTheNearestOne(String name, String near) {
    assertThatThrownBy(() -> Applications.named(name, 11, 1, null))
        .hasMessageContaining("did you mean '" + near + "'?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pool:0", "pool:-1", "pool:", "pool:many", "pooled", ""})
  void aWrongConnectionModeIsNamed(String mode) {
    assertThatThrownBy(() -> Connections.open("jdbc:mariadb://127.0.0.1:1/x", mode))
        .hasMessage("connections must be per-request or pool:N with N >= 1, but is '" + mode + "'");
  }

  @Test
  void anAddressOfAnotherDatabaseIsNamed() throws SQLException {
    assertThatThrownBy(() -> Connections.open("jdbc:postgresql://127.0.0.1/x", "pool:2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc-url must be")
        .hasMessageContaining("'jdbc:postgresql://127.0.0.1/x'");
  }
}
