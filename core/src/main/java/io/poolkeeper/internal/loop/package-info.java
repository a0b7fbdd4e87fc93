/** Parts of a control loop: decisions, their log, memory files, hangs. */
@NullMarked
package io.poolkeeper.internal.loop;

import org.jspecify.annotations.NullMarked;
