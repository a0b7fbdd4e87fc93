@NullMarked
package io.poolkeeper.jetty;

import org.jspecify.annotations.NullMarked;
