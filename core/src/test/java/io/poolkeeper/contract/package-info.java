/**
 * The contract of {@link java.util.concurrent.ThreadPoolExecutor}, as the JDK documents it, asked
 * of {@link io.poolkeeper.AdaptiveExecutor}.
 *
 * <p>The cases are written from that documentation; they are not those of the JSR-166 TCK. Each
 * test runs on the JDK's pool as well: a test that the JDK fails is wrong. {@link
 * io.poolkeeper.contract.PoolUnderTest} is the one place that knows both pools, and lists the
 * methods that {@code AdaptiveExecutor} lacks so far; tests that need one of them are skipped.
 *
 * <p>These parts of the contract do not apply:
 *
 * <table>
 * <caption>Parts that do not apply</caption>
 * <tr><th>part</th><th>reason</th></tr>
 * <tr><td>core size apart from maximum size, and their setters</td><td>one size within bounds;
 * {@code resize} takes their place, and BuildersTest checks the bounds</td></tr>
 * <tr><td>a pool of size 0</td><td>the smallest size is 1</td></tr>
 * <tr><td>beforeExecute, afterExecute, terminated, newTaskFor of subclasses</td><td>the class is
 * final; listeners take their place</td></tr>
 * <tr><td>getQueue</td><td>the queue belongs to the pool; {@code queued} and {@code remove} are what
 * users need of it</td></tr>
 * <tr><td>setThreadFactory, setRejectedExecutionHandler and their getters</td><td>settings are sealed
 * when the pool is built</td></tr>
 * <tr><td>the messages of RejectedExecutionException</td><td>the JDK does not document them</td></tr>
 * <tr><td>security manager, access control context</td><td>deprecated for removal</td></tr>
 * </table>
 */
@NullMarked
package io.poolkeeper.contract;

import org.jspecify.annotations.NullMarked;
