package io.poolkeeper.testbed.load.description;

/**
 * One kind of request that clients send.
 *
 * @param index its number, from 0
 * @param name what it is called in the record
 * @param method HTTP method
 * @param path what is asked for, beginning with a slash
 */
public record Request(int index, String name, String method, String path) {

  /** Whether the answer has a header alone, whatever its header says of a body. */
  public boolean headOnly() {
    return method.equals("HEAD");
  }
}
