package io.poolkeeper.testbed.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class PoliciesTest {

  static Stream<ControllerDescriptor<EventPolicy>> policies() {
    return Policies.all().stream();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void isMadeUnderItsName(ControllerDescriptor<EventPolicy> descriptor) {
    Map<String, String> needed =
        descriptor.settings().stream().anyMatch(setting -> setting.standard() == null)
            ? Map.of("size", "7")
            : Map.of();
    EventPolicy policy = Policies.named(descriptor.name(), needed);
    assertThat(policy.name()).isEqualTo(descriptor.name());
    assertThat(policy.initialSize()).isPositive();
    assertThat(policy.interval()).isNotNegative();
    assertThat(policy.reason()).as("before any event").isEmpty();
  }

  @Test
  void everyNameIsThereOnce() {
    List<String> names =
        Stream.concat(
                Policies.all().stream().map(ControllerDescriptor::name),
                Controllers.all().stream().map(ControllerDescriptor::name))
            .toList();
    assertThat(names).doesNotHaveDuplicates();
    assertThat(Policies.contestants()).containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void anUnknownNameOrSettingIsAnsweredWithTheNearest() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policies.named("fboss", Map.of()))
        .withMessageStartingWith("unknown policy 'fboss'; did you mean 'fbos'?");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policies.named("heuristic", Map.of("strid", "2")))
        .withMessageStartingWith("unknown setting of heuristic 'strid'; did you mean 'stride'?");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policies.named("fbos", Map.of("idle-timeout", "4s")))
        .withMessage("idle-timeout must be a whole number, but is '4s'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policies.named("static-queue", Map.of()))
        .withMessage("static-queue needs the setting 'size': workers, 1 or more");
  }
}
