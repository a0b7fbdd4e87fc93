/** Stages with a queue and threads each: accept, read, process, write (Welsh 2001). */
@NullMarked
package io.poolkeeper.testbed.servers.seda;

import org.jspecify.annotations.NullMarked;
