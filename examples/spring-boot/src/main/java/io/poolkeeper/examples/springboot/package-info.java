/** A service on Spring Boot whose pools the starter tunes. No class of it knows Poolkeeper. */
@NullMarked
package io.poolkeeper.examples.springboot;

import org.jspecify.annotations.NullMarked;
