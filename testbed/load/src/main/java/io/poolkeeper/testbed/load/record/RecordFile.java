package io.poolkeeper.testbed.load.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;

/** Passes bytes on until that fails; tells it once, and drops them from then on. */
final class RecordFile extends OutputStream {

  private final OutputStream file;
  private final Consumer<IOException> failure;
  private boolean failed;

  /**
   * @param failure gets why the file cannot be written, at most once
   */
  RecordFile(OutputStream file, Consumer<IOException> failure) {
    this.file = file;
    this.failure = failure;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b});
  }

  @Override
  public void write(byte[] bytes) {
    write(bytes, 0, bytes.length);
  }

  @Override
  public void write(byte[] bytes, int from, int length) {
    if (!failed) {
      try {
        file.write(bytes, from, length);
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      fail(e);
    }
  }

  private void fail(IOException e) {
    if (!failed) {
      failed = true;
      failure.accept(e);
    }
  }
}
