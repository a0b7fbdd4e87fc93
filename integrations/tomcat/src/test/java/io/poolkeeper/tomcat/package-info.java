@NullMarked
package io.poolkeeper.tomcat;

import org.jspecify.annotations.NullMarked;
