package io.poolkeeper.testkit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.is;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Duration;
import java.util.Random;

/** The borders between the parts, as ARCHITECTURE.md draws them. */
@AnalyzeClasses(packages = "io.poolkeeper", importOptions = DoNotIncludeTests.class)
final class BordersTest {

  private static final String[] CORE = {
    "io.poolkeeper", "io.poolkeeper.controllers..", "io.poolkeeper.spi", "io.poolkeeper.internal.."
  };

  @ArchTest
  static final ArchRule CORE_DEPENDS_ON_THE_JDK_HDR_HISTOGRAM_AND_JSPECIFY_ALONE =
      classes()
          .that()
          .resideInAnyPackage(CORE)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.poolkeeper",
              "io.poolkeeper.controllers..",
              "io.poolkeeper.spi",
              "io.poolkeeper.internal..",
              "java..",
              "javax.management..",
              "jdk.jfr..",
              "com.sun.management..",
              "org.HdrHistogram..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule INTERNAL_IS_USED_BY_CORE_ALONE =
      noClasses()
          .that()
          .resideOutsideOfPackages(CORE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.poolkeeper.internal..");

  @ArchTest
  static final ArchRule CONTROLLERS_HAVE_NO_CLOCK_THREADS_OR_IO =
      noClasses()
          .that()
          .resideInAPackage("io.poolkeeper.controllers..")
          .and()
          .doNotHaveSimpleName("TuningProperty")
          .should()
          .dependOnClassesThat(
              // A Duration is a length of time and no clock.
              resideInAnyPackage(
                      "java.io..",
                      "java.net..",
                      "java.nio..",
                      "java.time..",
                      "java.util.concurrent..",
                      "java.util.random..",
                      "io.poolkeeper.internal..")
                  .and(not(equivalentTo(Duration.class)))
                  .or(belongToAnyOf(Thread.class, System.class, Random.class)));

  @ArchTest
  static final ArchRule TUNING_READS_A_PROPERTY_ONCE_AND_NOTHING_ELSE =
      classes()
          .that()
          .haveSimpleName("TuningProperty")
          .should()
          .onlyCallMethodsThat(
              is(
                  describe(
                      "read a system property",
                      method ->
                          method.getOwner().isEquivalentTo(System.class)
                              && method.getName().equals("getProperty"))));

  @ArchTest
  static final ArchRule ONLY_THE_DEFAULT_CONTROLLER_USES_THE_MATHEMATICS_OF_CURVES =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.poolkeeper.controllers..", "io.poolkeeper.testbed.benchmarks.controllers")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.poolkeeper.controllers.curves");

  @ArchTest
  static final ArchRule THE_LIBRARY_DOES_NOT_KNOW_THE_TESTBED =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.poolkeeper.testbed..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.poolkeeper.testbed..");
}
