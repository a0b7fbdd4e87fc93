package io.poolkeeper.console;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The secret that a request has to bring. */
final class Token {

  private static final int BYTES = 18;
  private static final int SHORTEST = 16;
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9_-]{" + SHORTEST + ",}");
  private static final String SCHEME = "Bearer ";

  private Token() {}

  static String random() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Returns the token, which stays out of the message where it is not valid. */
  static String require(String token) {
    Objects.requireNonNull(token, "token must not be null");
    if (!VALID.matcher(token).matches()) {
      throw new IllegalArgumentException(
          "token must be at least 16 letters, digits, dashes and underscores, but "
              + (token.length() < SHORTEST
                  ? "has a length of " + token.length()
                  : "has other characters"));
    }
    return token;
  }

  /**
   * Returns whether a request brings the token, in a time that does not depend on where it differs.
   */
  static boolean matches(String token, @Nullable String authorization) {
    return authorization != null
        && MessageDigest.isEqual(
            (SCHEME + token).getBytes(StandardCharsets.UTF_8),
            authorization.getBytes(StandardCharsets.UTF_8));
  }
}
