package io.poolkeeper.testbed.disk.run;

/**
 * Jobs of a workload.
 *
 * @param workload kind of the jobs
 * @param neighbour whether another process writes to the disk meanwhile
 */
record PhaseWork(Workload workload, boolean neighbour) {

  private static final String NEIGHBOUR = "_neighbour";

  /**
   * Returns the work of a name in configurations, such as {@code rw_2mb} or {@code
   * rw_2mb_neighbour}.
   *
   * @throws IllegalArgumentException with the nearest name if there is none
   */
  static PhaseWork named(String name) {
    boolean neighbour = name.endsWith(NEIGHBOUR);
    String workload = neighbour ? name.substring(0, name.length() - NEIGHBOUR.length()) : name;
    return new PhaseWork(Workload.named(workload), neighbour);
  }
}
