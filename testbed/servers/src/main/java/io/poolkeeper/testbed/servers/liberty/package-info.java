/**
 * The default executor of Open Liberty, as it is published, outside of its server: a contestant
 * that sizes itself.
 */
@NullMarked
package io.poolkeeper.testbed.servers.liberty;

import org.jspecify.annotations.NullMarked;
