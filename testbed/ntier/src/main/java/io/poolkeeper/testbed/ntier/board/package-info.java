/** The bulletin board as a server: Tomcat, its pools, and the port on which they are changed. */
@NullMarked
package io.poolkeeper.testbed.ntier.board;

import org.jspecify.annotations.NullMarked;
