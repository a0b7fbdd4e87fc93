package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.controllers.curves.SizeGrid;
import org.junit.jupiter.api.Test;

final class KnowledgeTest {

  /** Evidence from before the level moved is doubted, except at the size that showed it. */
  @Test
  void aMovementOfTheLevelLeavesDoubt() {
    Knowledge knowledge = Knowledge.NONE.with(5, 10, 4, 5).with(20, 10, 4, 20);
    Knowledge moved = knowledge.shifted(-0.4).with(20, 0.1, 3.6, 20);
    double before = knowledge.posterior().level(5).variance();
    assertThat(moved.posterior().level(5).variance()).isGreaterThan(before + 0.02);
    assertThat(moved.posterior().level(20).variance()).isLessThan(before + 0.005);
  }

  @Test
  void theShapeOfEarlierWorkCountsLittleAndOnlyWhereNothingIsKnown() {
    Knowledge earlier = Knowledge.NONE.with(5, 10, 4, 5).with(20, 0.05, 5, 20);
    Knowledge now = Knowledge.NONE.with(5, 1, 3, 5).withShapeOf(earlier, -1, 0.1);
    assertThat(now.at(5)).isEqualTo(Knowledge.NONE.with(5, 1, 3, 5).at(5));
    assertThat(now.weightAt(20)).as("not more than it had").isEqualTo(0.05);
    assertThat(now.posterior().level(20).mean()).isBetween(3.0, 4.2);
    assertThat(now.largestTried()).isEqualTo(5);
  }

  /** A pool that ends during a visit begins again where it rested. */
  @Test
  void aSizeThatWasOnlyTriedIsNoRestingSize() {
    Knowledge knowledge = Knowledge.NONE.with(5, 50, 4, 5).with(20, 2, 4, 20);
    assertThat(knowledge.restingSize(6)).isEqualTo(6);
    assertThat(knowledge.restingSize(21)).isEqualTo(6);
    assertThat(Knowledge.NONE.restingSize(21)).as("nothing is known").isEqualTo(21);
  }

  /** Beside 64 workers that do 6,000/s, 12 would have to do five times as much each as 2 did. */
  @Test
  void sizesAtWhichEachWorkerWouldHaveToDoFarMoreAreHopeless() {
    Knowledge linear = rate(rate(rate(Knowledge.NONE, 2, 190), 8, 750), 64, 6000);
    int smallest = SizeGrid.size(linear.smallestHopeful());
    assertThat(smallest).isBetween(32, 50);
  }

  /** A pool in collapse says nothing of fewer workers. */
  @Test
  void fewWorkersAreHopefulWhereManyDoNoMore() {
    assertThat(SizeGrid.size(rate(Knowledge.NONE, 64, 100).smallestHopeful())).isBetween(14, 16);
    Knowledge collapsed = rate(rate(Knowledge.NONE, 8, 800), 64, 100);
    assertThat(SizeGrid.size(collapsed.smallestHopeful())).isLessThanOrEqualTo(2);
    assertThat(Knowledge.NONE.smallestHopeful()).isZero();
  }

  private static Knowledge rate(Knowledge knowledge, int size, double rate) {
    int place = SizeGrid.nearest(size);
    return knowledge.with(place, 40, Math.log(rate), place);
  }
}
