@NullMarked
package io.poolkeeper.micrometer;

import org.jspecify.annotations.NullMarked;
