package io.poolkeeper.linux;

import java.util.Optional;

/** Calls to sockets, as the stack of a thread shows them. */
final class SocketCalls {

  /** Frames from the top among which a call that waits must be. */
  private static final int DEPTH = 12;

  private SocketCalls() {}

  /** Returns the call that a thread is in, such as {@code sun.nio.ch.NioSocketImpl.read}. */
  static Optional<String> of(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    for (int i = 0; i < Math.min(DEPTH, stack.length); i++) {
      if (isOfSockets(stack[i].getClassName())) {
        return Optional.of(stack[i].getClassName() + "." + stack[i].getMethodName());
      }
    }
    return Optional.empty();
  }

  private static boolean isOfSockets(String type) {
    return type.startsWith("java.net.Socket")
        || type.startsWith("java.net.ServerSocket")
        || type.equals("java.net.DatagramSocket")
        || (type.startsWith("sun.nio.ch.") && !type.contains("File") && isOfNetwork(type));
  }

  private static boolean isOfNetwork(String type) {
    return type.contains("Socket")
        || type.contains("Datagram")
        || type.contains("EPoll")
        || type.contains("PollSelector")
        || type.equals("sun.nio.ch.Net");
  }
}
