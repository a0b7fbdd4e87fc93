/** Tests of descriptions of clients and of what they leave to chance. */
@NullMarked
package io.poolkeeper.testbed.clients;

import org.jspecify.annotations.NullMarked;
