/** Tuned constants of the response curve, with the values of the Java interface `Tuning`, which tells their units. */
export const Tuning = {
  /** * The tuned constants of the response-curve controller, in the order of its steps. An entry states name, value, unit, and the {@linkplain TuningBasis measurements} that the value was chosen with. Knees and kernels of the priors are hypotheses, not tuning: they stand in `CurveShapes` and `ProcessKernel`. * <p>For trials the system property `poolkeeper.tuning=NAME=VALUE,NAME=VALUE` varies them. It is read once. The fields are constants for the compiler of the virtual machine. `./poolkeeper bench sensitivity` prints the effect of each. * <p>An interface so that entries are lines of a table, without modifiers. Nothing implements it. / public interface Tuning { // Observe: the values of a window. /** Utilisation from which all workers count as busy. */
  FULL: 0.95,
  /** Utilisation that counts as full if more tasks wait than there are workers. */
  MOSTLY_FULL: 0.5,
  /** Work on the tasks that ended, against what all workers did in their window, that tells nothing. */
  EARLIER_WORK: 2,
  /** Utilisation up to which a pool idles for most of a window. */
  IDLING: 0.25,
  /** Busy workers beyond the size from which a pool is still shrinking. */
  SHRINKING_EXCESS: 0.04,
  /** Tasks that wait beside idle workers, as a multiple of those that chance makes wait. */
  STARVED_BEYOND_CHANCE: 3,
  /** Tasks that wait beside idle workers, as a part of the tasks that run. */
  STARVED_WAITING: 0.1,
  /** Standard deviation of the rate of a pool of which half or more is starved. */
  STARVED_BLUR: 0.15,
  /** Standard deviation of the rate where the size does not bind, at least. */
  FREE_BLUR: 0.05,
  /** Mean number of busy workers below which measurements are not precise. */
  LEAST_BUSY: 0.01,
  /** Worth of a completion beyond the bound of a goodput, so that a far bound leaves a slope. */
  BADPUT: 0.02,
  /** Standard deviation after a resize by a factor e, of tasks that take as long as a window. */
  TRANSIENT: 0.5,
  /** Largest standard deviation of the rate after a resize. */
  LARGEST_TRANSIENT: 0.3,
  /** Rejected tasks that chance explains. */
  REJECTED: 0.01,
  /** Completions below which a window is gathered with the next. */
  ENOUGH_COMPLETIONS: 4,
  /** Expected completions of which a few show that the rate has fallen. */
  MANY_COMPLETIONS: 20,
  /** Longest time for which windows are gathered. */
  GATHERING_SECONDS: 10,
  /** Rate against that of another size below which a size has collapsed. */
  COLLAPSED: 0.95,
  /** Time with few completions after which more workers are the only way to learn. */
  SPARSE_SECONDS: 1,
  /** Completions that are few in that time. */
  SPARSE_COMPLETIONS: 4,
  /** Time in which nothing ends, all are busy and tasks wait, from which on it is a standstill. */
  HANG_SECONDS: 5,
  /** Time for each worker that is added in a standstill for tasks that workers submitted. */
  HANG_WORKER_SECONDS: 0.5,
  /** Time of the first worker that is added in a standstill without evidence; then it doubles. */
  HANG_FALLBACK_SECONDS: 10,
  /** Windows on the way to a smaller size that still show the time before. */
  MIXED_DRAINING_WINDOWS: 2,
  /** Standard deviation of a window that passes a size on the way to a smaller one. */
  DRAINING_BLUR: 0.45,
  /** Time by which a window ages knowledge at most; in a longer one the process stood still. */
  LONGEST_AGING_SECONDS: 600,
  /** Time in which the number of tasks in the system falls to a third. */
  DEMAND_FALL_SECONDS: 3,
  /** Time over which the fast mean of arrivals is taken. */
  FAST_ARRIVAL_SECONDS: 2,
  /** Time over which the slow mean of arrivals is taken. */
  SLOW_ARRIVAL_SECONDS: 8,
  /** Time without waiting tasks in which the headroom falls to a third. */
  HEADROOM_FALL_SECONDS: 15,
  /** Waiting tasks below which nothing waits. */
  FEW_WAITING: 0.02,
  /** Waiting tasks above which too many wait. */
  MANY_WAITING: 0.1,
  /** Headroom for any number of workers. */
  HEADROOM: 0.05,
  /** Headroom of a single worker; that of more falls with the square root. */
  SINGLE_HEADROOM: 0.3,
  /** Factor by which the headroom grows in a window with waiting tasks. */
  HEADROOM_GROWTH: 1.5,
  /** Headroom that is added as well. */
  HEADROOM_STEP: 0.1,
  /** Load of the processors below which they idle. */
  PROCESSORS_IDLE: 0.5,
  /** Load of the processors above which they are saturated. */
  PROCESSORS_SATURATED: 0.92,
  /** Processor time above which workers compute rather than wait. */
  COMPUTING: 0.5,
  /** Sizes that may bind where the size in force does not, as a multiple of the tasks that run or wait. */
  BINDING: 1.5,
  /** Garbage collection from which a large pool is too large. */
  COLLECTING: 0.4,
  /** Garbage collection from which a pool of a few workers a processor is too large. */
  COLLECTING_SMALL_POOL: 0.55,
  /** Garbage collection from which a pool of any size is too large, whatever is usual. */
  COLLECTING_SEVERE: 0.75,
  /** Garbage collection above the mean from which it is unusual. */
  COLLECTING_UNUSUAL: 0.25,
  /** Garbage collection up to which the ceiling rises. */
  COLLECTING_RECOVERED: 0.3,
  /** Garbage collection below which the heap is no concern. */
  COLLECTING_CALM: 0.06,
  /** Divisor of the size of a large pool that fills the heap. */
  REDUCTION: 4,
  /** Workers that are safe to fall back to. */
  SAFE_WORKERS: 8,
  /** Time in which the usual share of garbage collection follows. */
  USUAL_COLLECTING_SECONDS: 5,
  /** Workers still busy after a reduction that did not cause the calm. */
  STILL_BUSY: 0.7,
  /** Time in which a long pause of the collector is forgotten. */
  PAUSE_SECONDS: 300,
  /** Rise of the ceiling while some garbage is collected. */
  CEILING_RISE: 0.2,
  /** Rise of the ceiling while next to no garbage is collected. */
  CEILING_RISE_CALM: 1,
  /** Rise of the ceiling near the size that collapsed. */
  CEILING_RISE_NEAR: 0.002,
  /** Rise of the ceiling while the size is far below it. */
  CEILING_RISE_AWAY: 0.05,
  /** Part of the size that collapsed from which the ceiling is near it. */
  CEILING_NEAR: 0.8,
  /** Standard deviation of a window of which nothing else is known; the unit of evidence. */
  USUAL_NOISE: 0.08,
  /** Windows for which that assumption counts. */
  USUAL_NOISE_WEIGHT: 5,
  /** Smallest standard deviation that is believed. */
  LEAST_NOISE: 0.014,
  /** Variance of a count of completions times their number; a Poisson process has 1. */
  COUNT_NOISE: 0.8,
  /** Windows over which the noise is averaged. */
  NOISE_MEMORY: 60,
  /** Ratio of the differences of windows three apart and of neighbours that is usual. */
  USUAL_NOISE_RATIO: 1.27,
  /** Larger ratio that chance explains. */
  NOISE_RATIO_CHANCE: 0.35,
  /** Correlation of neighbours that is usual. */
  USUAL_CORRELATION: 0.23,
  /** Largest correlation of neighbours that is believed. */
  LARGEST_CORRELATION: 0.9,
  /** Variance of a window against half the square of the difference of alike neighbours. */
  NEIGHBOUR_VARIANCE: 1.3,
  /** Largest square of a surprise that counts as noise. */
  NOISE_CLIP: 4,
  /** Largest square of a difference of windows that counts as noise. */
  DIFFERENCE_CLIP: 9,
  /** Degrees of freedom of Student's t, by which outliers count less as evidence. */
  OUTLIER_FREEDOM: 4,
  /** Slowest pace of drift. */
  DRIFT_SLOW: 3e-6,
  /** Middle pace of drift. */
  DRIFT_MIDDLE: 3e-4,
  /** Fastest pace of drift. */
  DRIFT_FAST: 5e-3,
  /** Age of the work at which it drifts at half the pace. */
  DRIFT_CALM_SECONDS: 60,
  /** Time in which the merits of the paces fade to a third. */
  DRIFT_MEMORY_SECONDS: 15,
  /** Largest square of a surprise that counts as drift. */
  DRIFT_CLIP: 9,
  /** Windows that are compared with the expectation. */
  CHANGE_WINDOWS: 10,
  /** Deviation from which a single window is suspected. */
  SUSPECT_DEVIATION: 3.3,
  /** Deviation of a single window that counts at most. */
  DEVIATION_CLIP: 6,
  /** Square of the deviation of a run of windows from which chance is ruled out. */
  CHANGE_THRESHOLD: 16,
  /** Variance of a mean that each further window leaves, since neighbours are alike. */
  NEIGHBOUR_LIKENESS: 0.15,
  /** Deviation of the latest windows that agrees with the mean of a run. */
  AGREEMENT: 0.4,
  /** Fall after which a large pool goes down before the cause is known. */
  DEEP_FALL: 2,
  /** Deviation of such a fall, so that noise is no cause, standard deviations. */
  DEEP_FALL_DEVIATION: 6,
  /** Windows on the way down after such a fall in which nothing is learned. */
  DOUBTFUL_WINDOWS: 60,
  /** Least seconds between a way down that was in vain and the next; they double each time. */
  SLOWER: 10,
  VAIN_DESCENT_SECONDS: 60,
  /** Time for which a fall must last to be a change. */
  FALL_SECONDS: 1.6,
  /** Completions of a fall that tell more than a stall would. */
  FALL_COMPLETIONS: 10,
  /** Time for which a fall with fewer completions must last. */
  STALL_SECONDS: 5,
  /** Time after which a run of deviations is a change at any size. */
  LONGEST_DOUBT_SECONDS: 4,
  /** Kinds of earlier work that are remembered. */
  REMEMBERED: 8,
  /** Weight of knowledge that is worth remembering. */
  WORTH_REMEMBERING: 4,
  /** Deviation within which earlier work is recognised. */
  RECOGNITION: 2,
  /** Windows far from the expectation after which earlier work is recognised by the last. */
  RECOGNITION_WINDOWS: 2,
  /** Variance of an expectation beyond which it recognises nothing. */
  VAGUE: 0.06,
  /** Weight of evidence from before a change that may be noise in bursts, or a stall. */
  SAME_SHAPE_WEIGHT: 0.1,
  /** Standard deviation of many windows up to which noise does not come in bursts. */
  STEADY_NOISE: 0.15,
  /** Standard deviation of many windows from which it does. */
  BURSTY_NOISE: 0.25,
  /** Standard deviations of many windows by which such noise may move the reward. */
  BURST_DEVIATION: 5,
  /** Time in which falls that passed are forgotten. */
  PASSED_FALL_SECONDS: 120,
  /** Falls that may have passed by chance. */
  CHANCE_FALLS: 2,
  /** Time within which a fall passes that is no change of the work. */
  SHORT_FALL_SECONDS: 10,
  /** Time for which a change counts as recent. */
  RECENT_CHANGE_SECONDS: 30,
  /** Rise of the threshold by each recent change. */
  CAUTION: 1,
  /** Recent changes that raise the threshold at most. */
  MOST_CAUTION: 5,
  /** Rate of changes that a level at a new size is weighed against. */
  CHANGE_RATE: 0.02,
  /** Deviation of a level at a new size that other work explains better. */
  OTHER_WORK_DEVIATION: 4,
  /** Deviation of the rate that must support another cost of the process. */
  SUPPORTING_DEVIATION: 2,
  /** Windows with another cost of a task that make a change. */
  COST_WINDOWS: 2,
  /** Evidence that another cost must rule out. */
  RULED_OUT: 0.5,
  /** Ratio of costs from which tasks are of other work. */
  OTHER_COST: 2.5,
  /** Ratio of costs that twice as many workers explain. */
  COST_GROWTH: 4,
  /** Ratio of costs of a program that is not compiled yet, at least. */
  COLD_COST: 1.8,
  /** Ratio of sizes that are alike for costs. */
  /** Doublings of workers that may raise the cost of a task in proportion. */
  COST_DOUBLINGS: 1,
  /** Tasks below which a window tells no cost. */
  COST_TASKS: 10,
  /** Part by which the mean cost follows a window, at least. */
  COST_FOLLOW: 0.125,
  /** Time in which evidence about new work fades to a third. */
  FADE_SECONDS: 3000,
  /** Time in which evidence fades to a third, as a multiple of the age of the work. */
  FADE_AGES: 2,
  /** Weight of evidence from which a size is familiar. */
  FAMILIAR: 0.2,
  /** Weight that a window leaves of evidence from a cold program. */
  COLD_WEIGHT: 0.5,
  /** Weight below which evidence is dropped. */
  NEGLIGIBLE_WEIGHT: 0.002,
  /** Doubt about a size by the movement of the level since it was last in force. */
  MOVEMENT_DOUBT: 0.5,
  /** Variance of a mean of windows against that of independent ones. */
  CORRELATION: 1.8,
  /** Standard deviation of a plant around the best of the shapes. */
  MISFIT: 0.015,
  /** Prior of the shapes; the processes share the rest. */
  SHAPES_PRIOR: 0.6,
  /** Prior of a curve with a break. */
  BREAK_PRIOR: 0.1,
  /** Least share of the roughest process: a step at a new size is never ruled out. */
  ROUGHEST_SHARE: 0.01,
  /** Share below which a process is left out. */
  NEGLIGIBLE_SHARE: 1e-3,
  /** Probability against the best below which a shape is left out. */
  NEGLIGIBLE_SHAPE: 1e-4,
  /** Prior of each common family of shapes. */
  COMMON_SHAPES: 0.32,
  /** Prior of the family of shapes that rise twice. */
  RARE_SHAPES: 0.04,
  /** Standard deviation of the slope of the processes. */
  PROCESS_SLOPE: 0.5,
  /** Length of the rough part of the processes. */
  ROUGH_LENGTH: 0.7,
  /** Difference of neighbours below which there is no break. */
  LEAST_BREAK: 0.2,
  /** Standard deviation of the level above a break. */
  BREAK_LEVEL: 1.5,
  /** Windows for which a decision stands, at most. */
  STANDING_WINDOWS: 16,
  /** Windows for which a decision stands, as a part of the windows at the size. */
  STANDING_SHARE: 0.125,
  /** Movement of the level that ends a standing decision. */
  STANDING_SHIFT: 0.02,
  /** Deviation of a window that ends a standing decision. */
  STANDING_DEVIATION: 1.5,
  /** Time of the same work in which it may still be warming up. */
  WARM_UP_SECONDS: 15,
  /** Part of the rise from window to window that goes on after a resize. */
  WARM_UP_GOES_ON: 0.95,
  /** Time of new work in which each size needs two windows. */
  COLD_SECONDS: 6,
  /** Rise from window to window from which a size needs two windows. */
  WARM_UP_RISE: 0.02,
  /** Largest size to try against the largest that was tried. */
  LEAP: 4,
  /** Most that a worker does among more workers, against what it did among fewer. */
  GAIN_AMONG_MORE: 1.5,
  /** Most that a worker does among fewer workers than were ever tried. */
  GAIN_AMONG_FEWER: 4,
  /** Largest step up where tasks are slow or a limit rejects: the way back is long. */
  PATIENT_LEAP: 2,
  /** Largest step up where next to nothing ends. */
  SPARSE_LEAP: 1.5,
  /** Largest step up after a collapse. */
  CAREFUL_LEAP: 1.5,
  /** Part of the best reward below which a limit that rejects goes no farther. */
  WORSE: 0.9,
  /** Distance from the best size up to which such a limit goes all the same. */
  NEAR_BEST: 1.5,
  /** Places of the grid beside the best size that are candidates. */
  NEIGHBOURS: 2,
  /** Part of the useful workers that is enough. */
  NEARLY: 0.98,
  /** Price of twice as many workers as are needed. */
  DOUBLING_PRICE: 0.04,
  /** The same for a limit that rejects: a larger one lets more wait behind it. */
  REJECTING_DOUBLING_PRICE: 0.08,
  /** Price of reward that is missing beyond the tolerance. */
  SHORTFALL_PRICE: 2,
  /** Part of the tolerance that is used; the rest is for uncertainty. */
  TOLERANCE_USED: 0.7,
  /** Smaller expected loss for which a size is left. */
  INERTIA: 0.015,
  /** Reward of a window beyond that expected of the best size, from which the size is kept. */
  OUTDOING: 2,
  /** Windows of a short experiment. */
  SHORT_EXPERIMENT: 2,
  /** Windows of a usual experiment. */
  USUAL_EXPERIMENT: 4,
  /** Windows of a long experiment. */
  LONG_EXPERIMENT: 16,
  /** Time for which knowledge about the knee of a shape is of use. */
  SHAPE_HORIZON_SECONDS: 60,
  /** Least time for which a better size is of use. */
  LEAST_HORIZON_SECONDS: 60,
  /** Longest time for which a better size is of use. */
  LONGEST_HORIZON_SECONDS: 180,
  /** Price of the reward that an experiment loses. */
  EXPERIMENT_PRICE: 1,
  /** Reward that a larger size must add. */
  DOUBLING_WORTH: 0.02,
  /** Gain that an experiment must promise where the size binds. */
  WORTHWHILE: 0.2,
  /** Gain that an experiment must promise where the size does not bind. */
  WORTHWHILE_FREE: 1,
  /** Time for which an experiment makes the next dearer. */
  RECENT_EXPERIMENT_SECONDS: 10,
  /** Time for which work is new, and experiments stay cheap. */
  NEW_WORK_SECONDS: 20,
  /** Part of the time that visits to sizes of which little is known may take. */
  VISIT_SHARE: 0.005,
  /** The same, in addition, for a curve that is none of the shapes. */
  ROUGH_VISIT_SHARE: 0.01,
  /** Additional visits while the work is new, times the usual ones. */
  NEW_WORK_VISITS: 10,
  /** Age of the work at which these have fallen to a third, in seconds. */
  VISIT_CALM_SECONDS: 60,
  /** Saved time from which a visit may begin, in seconds. */
  VISIT_SECONDS: 1,
  /** Time that is saved for visits, at most, in seconds. */
  MOST_VISIT_SECONDS: 3,
  /** Gain for which a visit pays, as a part of the reward. */
  VISIT_GAIN: 0.05,
  /** Standard deviation of a level that is known well enough. */
  VISIT_UNCERTAINTY: 0.1,
  /** Standard deviations by which a size may be expected to miss that gain, and is visited. */
  VISIT_REACH: 1,
  /** The same while it is visited. */
  VISIT_HOLD: 0.5,
  /** Part of the best reward below which there are no visits to larger sizes. */
  HOPELESS: 0.5,
  /** Standard deviations by which it must be below it. */
  HOPELESS_CERTAINTY: 2,
  /** Time for which a size is barred at which growth was in vain; doubles each time. */
  VAIN_GROWTH_SECONDS: 1,
  /** Longest such time. */
  LONGEST_VAIN_GROWTH_SECONDS: 60,
  /** Fall of the reward, without a queue, after which a growth was in vain. */
  VAIN_FALL: 0.1,
  /** Standard deviation of the reward of such a size: tasks may have become rare by chance. */
  VAIN_BLUR: 0.6,
  /** Growth of the number of waiting tasks after which larger sizes are tried at once. */
  MORE_WAITING: 4,
  /** Time after a fall before the size from before it is tried again; doubles each time. */
  RETURN_SECONDS: 5,
  /** Fall after which that may pay. */
  RETURN_GAIN: 2,
  /** The same where the reward has moved since the pool settled. */
  MOVED_GAIN: 1.25,
  /** Logarithm by which it must have moved. */
  MOVED_LEVEL: 0.15,
  /** Standard deviations of a window by which it must have moved. */
  MOVED_NOISE: 1.5,
  /** Size that is tried after the reward has moved, as a multiple of the size in force. */
  LOOK_ABOVE: 2,
  /** Gain of such a look that is believed, as a share of the gain of workers that do not hinder each other. */
  LOOK_GAIN: 0.3,
  /** Service time up to which tasks from before the look count little, in windows. */
  LOOK_SHORT_TASK: 0.1,
  /** Logarithm of the gain that pays where the work of before would do as much as is done now. */
  RETURN_LEAST: 0.1,
  /** Variance of an expectation of earlier work beyond which it does not speak for a return. */
  RETURN_VAGUE: 0.25,
};
