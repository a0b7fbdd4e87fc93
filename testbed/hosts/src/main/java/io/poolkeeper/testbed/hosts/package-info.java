/** The same servlet on different hosts: Tomcat with fixed and with adaptive threads. */
@NullMarked
package io.poolkeeper.testbed.hosts;

import org.jspecify.annotations.NullMarked;
