package io.poolkeeper.controllers.curves;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TuningTest {

  /** Names are strings beside the fields. */
  @Test
  void entriesAreNamedLikeTheirFields() throws IllegalAccessException {
    Field[] fields = Tuning.class.getFields();
    assertThat(Tuning.constants().stream().map(TunedConstant::name))
        .containsExactlyElementsOf(Arrays.stream(fields).map(Field::getName).toList());
    for (int i = 0; i < fields.length; i++) {
      double value = ((Number) fields[i].get(null)).doubleValue();
      assertThat(Tuning.constants().get(i).value()).as(fields[i].getName()).isEqualTo(value);
    }
  }

  @Test
  void everyStandardValueIsAllowed() {
    assertThat(Tuning.constants()).allMatch(constant -> constant.allows(constant.standard()));
    assertThatCode(Tuning::check).doesNotThrowAnyException();
  }

  @Test
  void aTextVariesConstants() {
    TuningRegister register = new TuningRegister("INERTIA=0.03, WINDOWS = 5");
    assertThat(register(register)).containsExactly(0.03, 5.0, 0.7);
    assertThat(register.constants().get(0).standard()).isEqualTo(0.015);
    register.check();
    assertThat(register(new TuningRegister(" "))).containsExactly(0.015, 4.0, 0.7);
    assertThat(register(new TuningRegister(null))).containsExactly(0.015, 4.0, 0.7);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INERTIE=1 | unknown tuned constant 'INERTIE'; known: INERTIA, WINDOWS, ",
        "INERTIA=2 | INERTIA must be a number above 0 and at most 1.0, but is 2",
        "INERTIA=0 | INERTIA must be a number above 0 and at most 1.0, but is 0",
        "INERTIA=NaN | INERTIA must be a number above 0 and at most 1.0, but is NaN",
        "INERTIA=much | INERTIA must be a number above 0 and at most 1.0, but is much",
        "WINDOWS=2.5 | WINDOWS must be a whole number above 0",
        "INERTIA | 'INERTIA' is not NAME=VALUE",
        "INERTIA=0.03, | '' is not NAME=VALUE",
      })
  void aWrongTextIsRefused(String text, String message) {
    TuningRegister register = new TuningRegister(text);
    register(register);
    assertThatIllegalArgumentException().isThrownBy(register::check).withMessageContaining(message);
  }

  private static List<Double> register(TuningRegister register) {
    return List.of(
        register.register("INERTIA", 0.015, false, 1, "of the reward", TuningBasis.DRAWN),
        register.register("WINDOWS", 4, true, 100, "windows", TuningBasis.REST),
        register.register("SHARE", 0.7, false, 1, "", TuningBasis.ARGUMENT));
  }
}
