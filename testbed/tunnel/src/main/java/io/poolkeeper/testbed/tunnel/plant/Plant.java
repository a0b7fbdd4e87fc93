package io.poolkeeper.testbed.tunnel.plant;

import java.util.List;

/**
 * Model of what stands behind a pool: how much it completes by how much it is given to do at the
 * same time. The tasks in service share its rate equally.
 *
 * @param name its name in configurations
 * @param title what it stands for, for a reader who sees it first
 * @param law its curve as a formula with its constants, or where it was recorded
 * @param curve completions per second
 * @param cpuSeconds CPU time of a mean task
 * @param tasks the kinds of tasks; their shares sum to 1, and so does share times work
 * @param opposite name of the plant that it turns into where the work changes: its best size is at
 *     least four times as large or as small
 */
public record Plant(
    String name,
    String title,
    String law,
    Curve curve,
    double cpuSeconds,
    List<TaskClass> tasks,
    String opposite) {

  public Plant {
    tasks = List.copyOf(tasks);
  }
}
