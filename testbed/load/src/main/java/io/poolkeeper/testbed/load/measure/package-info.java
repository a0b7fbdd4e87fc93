/**
 * Counts of a running load, and their judgement: intervals, the summary, and whether the generator
 * itself was what limited them.
 */
@NullMarked
package io.poolkeeper.testbed.load.measure;

import org.jspecify.annotations.NullMarked;
