package io.poolkeeper.testbed.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class CatalogueTest {

  /** The lab accepts in an experiment what this file names; CONTRIBUTING tells how to write it. */
  @Test
  void theContractNamesWhatThereIs() throws IOException {
    Path file = Path.of("../../contract/controllers.json");
    assertThat(Files.readString(file)).isEqualTo(CatalogueMain.json());
  }
}
