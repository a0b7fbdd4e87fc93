@NullMarked
package io.poolkeeper.httpclient;

import org.jspecify.annotations.NullMarked;
