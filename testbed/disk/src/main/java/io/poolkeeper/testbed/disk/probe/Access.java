package io.poolkeeper.testbed.disk.probe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A way to use a disk. */
public enum Access {
  READ("reads") {
    @Override
    void run(FileChannel file, ByteBuffer block, long position) throws IOException {
      file.read(block, position);
    }
  },
  WRITE("writes") {
    @Override
    void run(FileChannel file, ByteBuffer block, long position) throws IOException {
      file.write(block, position);
    }
  },
  SYNCED_WRITE("synced writes") {
    @Override
    void run(FileChannel file, ByteBuffer block, long position) throws IOException {
      file.write(block, position);
      file.force(false);
    }
  };

  private final String text;

  Access(String text) {
    this.text = text;
  }

  /** Reads or writes one block. */
  abstract void run(FileChannel file, ByteBuffer block, long position) throws IOException;

  /** Returns the name for people, in the plural. */
  public String text() {
    return text;
  }
}
