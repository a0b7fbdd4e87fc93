/** The web server of a service on Spring Boot 4. All else is in {@code poolkeeper-spring}. */
@NullMarked
package io.poolkeeper.spring.boot4;

import org.jspecify.annotations.NullMarked;
