@NullMarked
package io.poolkeeper.spring;

import org.jspecify.annotations.NullMarked;
