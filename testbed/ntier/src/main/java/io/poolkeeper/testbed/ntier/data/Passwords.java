package io.poolkeeper.testbed.ntier.data;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The stored form of passwords: a digest that the nickname salts. */
public final class Passwords {

  private Passwords() {}

  /** Returns 64 hexadecimal digits. */
  public static String digest(String nickname, String password) {
    try {
      byte[] text = (nickname + ':' + password).getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
