@NullMarked
package io.poolkeeper.spring.settings;

import org.jspecify.annotations.NullMarked;
