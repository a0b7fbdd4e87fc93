/** Auto-configuration of tuned pools for Spring Boot 3 and 4. The starters bring it along. */
@NullMarked
package io.poolkeeper.spring;

import org.jspecify.annotations.NullMarked;
