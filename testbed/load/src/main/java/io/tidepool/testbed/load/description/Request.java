package io.tidepool.testbed.load.description;

/**
 * One kind of request that users send.
 *
 * @param index its place in the load description, from 0
 * @param name what it is called in the record
 * @param method HTTP method
 * @param path what is asked for, beginning with a slash
 * @param weight how often it is sent, relative to the weights of the others; 0 or more
 */
public record Request(int index, String name, String method, String path, double weight) {

  /** Whether the answer has a header alone, whatever its header says of a body. */
  public boolean headOnly() {
    return method.equals("HEAD");
  }
}
