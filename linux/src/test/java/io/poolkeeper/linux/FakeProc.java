package io.poolkeeper.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A tree of files that looks like the proc file system. */
final class FakeProc {

  final Path root;

  FakeProc(Path root) {
    this.root = root;
    write("self/status", "Name:\tjava\n");
  }

  Proc proc() {
    return Proc.at(root);
  }

  FakeProc write(String file, String text) {
    try {
      Path path = root.resolve(file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, text);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  FakeProc io(long thread, String readChars, long writtenChars) {
    return write(
        "self/task/" + thread + "/io",
        """
        rchar: %s
        wchar: %d
        syscr: 3
        syscw: 4
        read_bytes: 4096
        write_bytes: 8192
        cancelled_write_bytes: 0
        """
            .formatted(readChars, writtenChars));
  }

  FakeProc stat(long thread, String name, char state, long blockIoTicks) {
    StringBuilder rest = new StringBuilder();
    rest.append(
            "1 1 1 0 -1 4194304 10 0 0 0 700 30 0 0 20 0 40 0 100 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1")
        .append(" 17 1 0 0 ")
        .append(blockIoTicks)
        .append(" 0 0 1 1 1 1 1 1 1 0\n");
    return write("self/task/" + thread + "/stat", thread + " (" + name + ") " + state + " " + rest);
  }

  FakeProc delete(String file) {
    try {
      Files.delete(root.resolve(file));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
