package io.poolkeeper.controllers.curves;

/**
 * An entry of {@link Tuning}.
 *
 * @param name name of the field
 * @param standard value that is tuned
 * @param value value in force: {@code standard} unless the system property varies it
 * @param whole whether only whole numbers make sense
 * @param most largest value that makes sense; all values are above 0
 * @param unit unit of the value
 * @param basis measurements that the value was chosen with
 */
public record TunedConstant(
    String name,
    double standard,
    double value,
    boolean whole,
    double most,
    String unit,
    TuningBasis basis) {

  /** Returns whether the constant can have a value. */
  public boolean allows(double candidate) {
    return candidate > 0 && candidate <= most && (!whole || candidate == Math.rint(candidate));
  }
}
