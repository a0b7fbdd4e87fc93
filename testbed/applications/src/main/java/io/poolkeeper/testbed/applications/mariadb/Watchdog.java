package io.poolkeeper.testbed.applications.mariadb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Sees to it that nothing of a database outlives this JVM, even when the JVM is killed: a shell
 * holds the other end of a pipe, and when that breaks it kills every process that was started for
 * the database's folder and deletes the folder.
 */
final class Watchdog implements AutoCloseable {

  /**
   * It can watch from before the first process of the database starts, since it knows them by an
   * argument that all of them have. The folder comes in the environment: in the command line it
   * would be found by itself, and through the pipe it could be missing when the JVM is killed in
   * between. Without the whole argument nothing is killed. Signals that a terminal sends to
   * everyone do not end it.
   */
  private static final String SCRIPT =
      """
      trap '' INT HUP TERM
      : "${DATABASE_FOLDER:?}"
      cat > /dev/null
      found=yes
      while [ "$found" ]; do
        found=
        for process in /proc/[0-9]*; do
          case $(tr '\\0' ' ' < "$process/cmdline") in
            *" --basedir=$DATABASE_FOLDER/base "*) kill -9 "${process#/proc/}" && found=yes ;;
          esac
        done
        [ "$found" ] && sleep 0.05
      done
      rm -rf "$DATABASE_FOLDER"
      """;

  /** For a disk that is slow; a shell that needs longer goes on by itself. */
  private static final long PATIENCE_SECONDS = 60;

  private final Process shell;

  /**
   * Watches over the processes whose arguments include {@code --basedir=FOLDER/base}.
   *
   * @param folder an existing folder that is this database's alone
   * @throws IllegalArgumentException if there is no such folder
   */
  Watchdog(Path folder) throws IOException {
    if (!Files.isDirectory(folder) || folder.getNameCount() == 0) {
      throw new IllegalArgumentException("folder must exist, but is '" + folder + "'");
    }
    ProcessBuilder command =
        new ProcessBuilder("sh", "-c", SCRIPT)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    command.environment().put("DATABASE_FOLDER", folder.toAbsolutePath().toString());
    shell = command.start();
  }

  /** Kills and deletes now; returns when it is done, or after a minute. */
  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
      var unused = shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      shell.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
