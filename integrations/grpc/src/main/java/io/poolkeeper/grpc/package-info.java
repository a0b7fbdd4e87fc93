/** gRPC servers whose calls run on threads that size themselves, or behind a limit that does. */
@NullMarked
package io.poolkeeper.grpc;

import org.jspecify.annotations.NullMarked;
