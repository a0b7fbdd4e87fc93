/** The web server of a service on Spring Boot 3. All else is in {@code poolkeeper-spring}. */
@NullMarked
package io.poolkeeper.spring.boot3;

import org.jspecify.annotations.NullMarked;
