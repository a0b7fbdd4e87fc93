package io.poolkeeper.testbed.load.http;

import io.poolkeeper.testbed.commands.BadInput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The server that gets the load.
 *
 * @param authority host and port as they stand in the {@code Host} header
 * @param address where it listens
 */
public record Target(String authority, InetSocketAddress address) {

  private static final int DEFAULT_PORT = 80;

  /**
   * Reads a URL such as {@code http://127.0.0.1:8080}.
   *
   * @param allowRemote whether the host may be another than this one
   * @throws BadInput if it is not such a URL, its host is unknown, or is another and may not be
   */
  public static Target parse(String url, boolean allowRemote) throws BadInput {
    URI uri = uri(url);
    String host = uri == null ? null : uri.getHost();
    if (uri == null || host == null || !"http".equalsIgnoreCase(uri.getScheme())) {
      throw bad(url, "is not a URL like http://127.0.0.1:8080");
    }
    boolean pathless = uri.getRawPath().isEmpty() || uri.getRawPath().equals("/");
    if (!pathless || uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw bad(url, "must end after the port; paths stand in the load description");
    }
    if (uri.getRawUserInfo() != null) {
      throw bad(url, "must not name a user");
    }
    int port = uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
    if (port < 1 || port > 65_535 || uri.getRawAuthority().endsWith(":")) {
      throw bad(url, "must have a port within 1..65535");
    }
    InetAddress address;
    try {
      address = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw bad(url, "has an unknown host");
    }
    if (!address.isLoopbackAddress() && !allowRemote) {
      throw bad(
          url, "is not on the loopback interface; load on other machines needs --allow-remote");
    }
    return new Target(uri.getRawAuthority(), new InetSocketAddress(address, port));
  }

  private static @Nullable URI uri(String url) {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      return null;
    }
  }

  /**
   * Connects once, sending nothing.
   *
   * @throws BadInput if nobody accepts within {@code patience}
   */
  public void check(Duration patience) throws BadInput {
    try (Socket socket = new Socket()) {
      socket.connect(address, (int) Math.min(patience.toMillis(), Integer.MAX_VALUE));
    } catch (IOException e) {
      throw bad("http://" + authority, "cannot be reached: " + e.getMessage());
    }
  }

  private static BadInput bad(String url, String what) {
    return new BadInput("target '" + url + "' " + what);
  }
}
