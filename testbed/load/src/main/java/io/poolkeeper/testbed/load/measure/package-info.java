/**
 * What is counted while a load runs, and how that is judged: intervals, the summary, and whether
 * the generator itself was what limited them.
 */
@NullMarked
package io.poolkeeper.testbed.load.measure;

import org.jspecify.annotations.NullMarked;
