@NullMarked
package io.poolkeeper.grpc;

import org.jspecify.annotations.NullMarked;
