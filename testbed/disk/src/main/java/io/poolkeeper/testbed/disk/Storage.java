package io.poolkeeper.testbed.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Set;

/**
 * The disk below a folder.
 *
 * @param folder existing folder that files can be made in
 * @param type file system, such as ext4
 * @param device device or server that it is on, as the mount names it
 * @param freeBytes room for this user
 */
public record Storage(Path folder, String type, String device, long freeBytes) {

  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs", "hugetlbfs");

  /**
   * Looks at a folder.
   *
   * @throws BadStorage in one line, if it is not a folder, cannot be written to, or is no disk
   */
  public static Storage of(Path folder) throws BadStorage {
    try {
      if (!Files.readAttributes(folder, BasicFileAttributes.class).isDirectory()) {
        throw new BadStorage(folder + ": is not a folder");
      }
    } catch (NoSuchFileException e) {
      throw new BadStorage(folder + ": no such folder");
    } catch (IOException e) {
      throw BadStorage.of(folder, e);
    }
    try {
      FileStore store = Files.getFileStore(folder);
      if (IN_MEMORY.contains(store.type().toLowerCase(Locale.ROOT))) {
        throw new BadStorage(
            "%s: is on %s, which is memory and no disk; give a folder on a disk"
                .formatted(folder, store.type()));
      }
      Path trial = Files.createTempFile(folder, ".poolkeeper-", ".trial");
      Files.delete(trial);
      return new Storage(folder, store.type(), store.name(), store.getUsableSpace());
    } catch (IOException e) {
      throw BadStorage.of(folder, e);
    }
  }

  /**
   * Looks at the folder that an option gives, so that another folder is what it takes.
   *
   * @throws IllegalArgumentException as {@link #of} throws
   */
  public static Storage stated(Path folder) {
    try {
      return of(folder.toAbsolutePath().normalize());
    } catch (BadStorage e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** A folder that cannot be measured; its message is one line for a person. */
  public static final class BadStorage extends Exception {

    private static final long serialVersionUID = 1;

    /** Makes one with its line. */
    public BadStorage(String message) {
      super(message);
    }

    /** Makes one of a failure of the file system. */
    public static BadStorage of(Path folder, IOException failure) {
      String text = String.valueOf(failure.getMessage());
      if (failure instanceof FileSystemException system && system.getReason() != null) {
        text = String.valueOf(system.getReason());
      }
      String plain = text.toLowerCase(Locale.ROOT);
      if (failure instanceof AccessDeniedException || plain.contains("permission denied")) {
        return new BadStorage(folder + ": cannot be written to (permission denied)");
      }
      if (plain.contains("read-only")) {
        return new BadStorage(folder + ": cannot be written to (read-only file system)");
      }
      if (plain.contains("no space left")) {
        return new BadStorage(folder + ": the disk is full");
      }
      if (plain.contains("file too large")) {
        return new BadStorage(
            folder + ": a file may not be so large; raise the limit with ulimit -f");
      }
      if (plain.contains("quota exceeded")) {
        return new BadStorage(folder + ": the quota of this user is used up");
      }
      if (plain.contains("too many open files")) {
        return new BadStorage(
            folder + ": too many open files; raise the limit with ulimit -n, or use fewer threads");
      }
      return new BadStorage(
          failure instanceof NoSuchFileException
              ? folder + ": no files can be made there"
              : folder + ": " + text);
    }
  }
}
