/** Tomcat with threads that size themselves, and with a limit in front of virtual threads. */
@NullMarked
package io.poolkeeper.tomcat;

import org.jspecify.annotations.NullMarked;
