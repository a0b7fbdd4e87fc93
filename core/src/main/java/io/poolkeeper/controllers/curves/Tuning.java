package io.poolkeeper.controllers.curves;

import static io.poolkeeper.controllers.curves.TuningBasis.ARGUMENT;
import static io.poolkeeper.controllers.curves.TuningBasis.DRAWN;
import static io.poolkeeper.controllers.curves.TuningBasis.HEAP;
import static io.poolkeeper.controllers.curves.TuningBasis.LIMITS;
import static io.poolkeeper.controllers.curves.TuningBasis.OVERLOAD;
import static io.poolkeeper.controllers.curves.TuningBasis.REST;
import static io.poolkeeper.controllers.curves.TuningBasis.SHARED_DATABASE;
import static io.poolkeeper.controllers.curves.TuningBasis.SHARED_PROCESSORS;
import static io.poolkeeper.controllers.curves.TuningBasis.TUNNEL;
import static io.poolkeeper.controllers.curves.TuningBasis.TURNS;
import static io.poolkeeper.controllers.curves.TuningBasis.WARM_UP;
import static io.poolkeeper.controllers.curves.TuningRegister.count;
import static io.poolkeeper.controllers.curves.TuningRegister.fraction;
import static io.poolkeeper.controllers.curves.TuningRegister.positive;

import java.util.List;

/**
 * The tuned constants of the response-curve controller, in the order of its steps. An entry states
 * name, value, unit, and the {@linkplain TuningBasis measurements} that the value was chosen with.
 * Knees and kernels of the priors are hypotheses, not tuning: they stand in {@link CurveShapes} and
 * {@link ProcessKernel}.
 *
 * <p>For trials the system property {@code poolkeeper.tuning=NAME=VALUE,NAME=VALUE} varies them. It
 * is read once. The fields are constants for the compiler of the virtual machine. {@code
 * ./poolkeeper bench sensitivity} prints the effect of each.
 *
 * <p>An interface so that entries are lines of a table, without modifiers. Nothing implements it.
 */
public interface Tuning {

  // Observe: the values of a window.
  /** Utilisation from which all workers count as busy. */
  double FULL = fraction("FULL", 0.95, "of the size", TUNNEL);

  /** Utilisation that counts as full if more tasks wait than there are workers. */
  double MOSTLY_FULL = fraction("MOSTLY_FULL", 0.5, "of the size", SHARED_PROCESSORS);

  /**
   * Work on the tasks that ended, against what all workers did in their window, that tells nothing.
   */
  double EARLIER_WORK = positive("EARLIER_WORK", 2, "times", ARGUMENT);

  /** Utilisation up to which a pool idles for most of a window. */
  double IDLING = fraction("IDLING", 0.25, "of the size", SHARED_PROCESSORS);

  /** Busy workers beyond the size from which a pool is still shrinking. */
  double SHRINKING_EXCESS = fraction("SHRINKING_EXCESS", 0.04, "of the size", TUNNEL);

  /** Tasks that wait beside idle workers, as a multiple of those that chance makes wait. */
  double STARVED_BEYOND_CHANCE = positive("STARVED_BEYOND_CHANCE", 3, "times", WARM_UP);

  /** Tasks that wait beside idle workers, as a part of the tasks that run. */
  double STARVED_WAITING = fraction("STARVED_WAITING", 0.1, "of busy workers", WARM_UP);

  /** Standard deviation of the rate of a pool of which half or more is starved. */
  double STARVED_BLUR = fraction("STARVED_BLUR", 0.15, "of the rate", WARM_UP);

  /** Standard deviation of the rate where the size does not bind, at least. */
  double FREE_BLUR = fraction("FREE_BLUR", 0.05, "of the rate", TUNNEL);

  /** Mean number of busy workers below which measurements are not precise. */
  double LEAST_BUSY = fraction("LEAST_BUSY", 0.01, "workers", SHARED_PROCESSORS);

  /** Worth of a completion beyond the bound of a goodput, so that a far bound leaves a slope. */
  double BADPUT = fraction("BADPUT", 0.02, "completions", TUNNEL);

  /** Standard deviation after a resize by a factor e, of tasks that take as long as a window. */
  double TRANSIENT = fraction("TRANSIENT", 0.5, "of the rate", TUNNEL);

  /** Largest standard deviation of the rate after a resize. */
  double LARGEST_TRANSIENT = fraction("LARGEST_TRANSIENT", 0.3, "of the rate", TUNNEL);

  /** Rejected tasks that chance explains. */
  double REJECTED = fraction("REJECTED", 0.01, "of the arrivals", DRAWN);

  /** Completions below which a window is gathered with the next. */
  double ENOUGH_COMPLETIONS = positive("ENOUGH_COMPLETIONS", 4, "completions", TUNNEL);

  /** Expected completions of which a few show that the rate has fallen. */
  double MANY_COMPLETIONS = positive("MANY_COMPLETIONS", 20, "completions", DRAWN);

  /** Longest time for which windows are gathered. */
  double GATHERING_SECONDS = positive("GATHERING_SECONDS", 10, "s", TUNNEL);

  /** Rate against that of another size below which a size has collapsed. */
  double COLLAPSED = fraction("COLLAPSED", 0.95, "of the rate", DRAWN);

  /** Time with few completions after which more workers are the only way to learn. */
  double SPARSE_SECONDS = positive("SPARSE_SECONDS", 1, "s", DRAWN);

  /** Completions that are few in that time. */
  double SPARSE_COMPLETIONS = positive("SPARSE_COMPLETIONS", 4, "completions", DRAWN);

  /** Time in which nothing ends, all are busy and tasks wait, from which on it is a standstill. */
  double HANG_SECONDS = positive("HANG_SECONDS", 5, "s", TUNNEL);

  /** Time for each worker that is added in a standstill for tasks that workers submitted. */
  double HANG_WORKER_SECONDS = positive("HANG_WORKER_SECONDS", 0.5, "s", ARGUMENT);

  /** Time of the first worker that is added in a standstill without evidence; then it doubles. */
  double HANG_FALLBACK_SECONDS = positive("HANG_FALLBACK_SECONDS", 10, "s", ARGUMENT);

  /** Windows on the way to a smaller size that still show the time before. */
  int MIXED_DRAINING_WINDOWS = count("MIXED_DRAINING_WINDOWS", 2, "windows", DRAWN);

  /** Standard deviation of a window that passes a size on the way to a smaller one. */
  double DRAINING_BLUR = fraction("DRAINING_BLUR", 0.45, "of the rate", DRAWN);

  /** Time by which a window ages knowledge at most; in a longer one the process stood still. */
  double LONGEST_AGING_SECONDS = positive("LONGEST_AGING_SECONDS", 600, "s", ARGUMENT);

  // Observe: demand for workers.
  /** Time in which the number of tasks in the system falls to a third. */
  double DEMAND_FALL_SECONDS = positive("DEMAND_FALL_SECONDS", 3, "s", TUNNEL);

  /** Time over which the fast mean of arrivals is taken. */
  double FAST_ARRIVAL_SECONDS = positive("FAST_ARRIVAL_SECONDS", 2, "s", TUNNEL);

  /** Time over which the slow mean of arrivals is taken. */
  double SLOW_ARRIVAL_SECONDS = positive("SLOW_ARRIVAL_SECONDS", 8, "s", TUNNEL);

  /** Time without waiting tasks in which the headroom falls to a third. */
  double HEADROOM_FALL_SECONDS = positive("HEADROOM_FALL_SECONDS", 15, "s", TUNNEL);

  /** Waiting tasks below which nothing waits. */
  double FEW_WAITING = fraction("FEW_WAITING", 0.02, "of busy workers", TUNNEL);

  /** Waiting tasks above which too many wait. */
  double MANY_WAITING = fraction("MANY_WAITING", 0.1, "of busy workers", TUNNEL);

  /** Headroom for any number of workers. */
  double HEADROOM = fraction("HEADROOM", 0.05, "of the demand", TUNNEL);

  /** Headroom of a single worker; that of more falls with the square root. */
  double SINGLE_HEADROOM = fraction("SINGLE_HEADROOM", 0.3, "of the demand", TUNNEL);

  /** Factor by which the headroom grows in a window with waiting tasks. */
  double HEADROOM_GROWTH = positive("HEADROOM_GROWTH", 1.5, "times", TUNNEL);

  /** Headroom that is added as well. */
  double HEADROOM_STEP = fraction("HEADROOM_STEP", 0.1, "of the headroom", TUNNEL);

  // Observe: processors.
  /** Load of the processors below which they idle. */
  double PROCESSORS_IDLE = fraction("PROCESSORS_IDLE", 0.5, "of the processors", DRAWN);

  /** Load of the processors above which they are saturated. */
  double PROCESSORS_SATURATED = fraction("PROCESSORS_SATURATED", 0.92, "of the processors", TUNNEL);

  /** Processor time above which workers compute rather than wait. */
  double COMPUTING = fraction("COMPUTING", 0.5, "of the busy time", TUNNEL);

  /** Sizes that may bind where the size in force does not. */
  double BINDING = positive("BINDING", 1.5, "times the tasks in the system", SHARED_PROCESSORS);

  // Observe: a heap that fills up.
  /** Garbage collection from which a large pool is too large. */
  double COLLECTING = fraction("COLLECTING", 0.4, "of the time", HEAP);

  /** Garbage collection from which a pool of a few workers a processor is too large. */
  double COLLECTING_SMALL_POOL = fraction("COLLECTING_SMALL_POOL", 0.55, "of the time", HEAP);

  /** Garbage collection from which a pool of any size is too large, whatever is usual. */
  double COLLECTING_SEVERE = fraction("COLLECTING_SEVERE", 0.75, "of the time", HEAP);

  /** Garbage collection above the mean from which it is unusual. */
  double COLLECTING_UNUSUAL = fraction("COLLECTING_UNUSUAL", 0.25, "of the time", HEAP);

  /** Garbage collection up to which the ceiling rises. */
  double COLLECTING_RECOVERED = fraction("COLLECTING_RECOVERED", 0.3, "of the time", HEAP);

  /** Garbage collection below which the heap is no concern. */
  double COLLECTING_CALM = fraction("COLLECTING_CALM", 0.06, "of the time", HEAP);

  /** Divisor of the size of a large pool that fills the heap. */
  int REDUCTION = count("REDUCTION", 4, "times", HEAP);

  /** Workers that are safe to fall back to. */
  int SAFE_WORKERS = count("SAFE_WORKERS", 8, "workers a processor", HEAP);

  /** Time in which the usual share of garbage collection follows. */
  double USUAL_COLLECTING_SECONDS = positive("USUAL_COLLECTING_SECONDS", 5, "s", HEAP);

  /** Workers still busy after a reduction that did not cause the calm. */
  double STILL_BUSY = fraction("STILL_BUSY", 0.7, "of the workers", DRAWN);

  /** Time in which a long pause of the collector is forgotten. */
  double PAUSE_SECONDS = positive("PAUSE_SECONDS", 300, "s", DRAWN);

  /** Rise of the ceiling while some garbage is collected. */
  double CEILING_RISE = positive("CEILING_RISE", 0.2, "a second", HEAP);

  /** Rise of the ceiling while next to no garbage is collected. */
  double CEILING_RISE_CALM = positive("CEILING_RISE_CALM", 1, "a second", HEAP);

  /** Rise of the ceiling near the size that collapsed. */
  double CEILING_RISE_NEAR = positive("CEILING_RISE_NEAR", 0.002, "a second", HEAP);

  /** Rise of the ceiling while the size is far below it. */
  double CEILING_RISE_AWAY = positive("CEILING_RISE_AWAY", 0.05, "a second", HEAP);

  /** Part of the size that collapsed from which the ceiling is near it. */
  double CEILING_NEAR = fraction("CEILING_NEAR", 0.8, "of the size that collapsed", HEAP);

  // Observe: noise of windows.
  /** Standard deviation of a window of which nothing else is known; the unit of evidence. */
  double USUAL_NOISE = fraction("USUAL_NOISE", 0.08, "of the rate", WARM_UP);

  /** Windows for which that assumption counts. */
  double USUAL_NOISE_WEIGHT = positive("USUAL_NOISE_WEIGHT", 5, "windows", TUNNEL);

  /** Smallest standard deviation that is believed. */
  double LEAST_NOISE = fraction("LEAST_NOISE", 0.014, "of the rate", TUNNEL);

  /** Variance of a count of completions times their number; a Poisson process has 1. */
  double COUNT_NOISE = fraction("COUNT_NOISE", 0.8, "completions", TUNNEL);

  /** Windows over which the noise is averaged. */
  double NOISE_MEMORY = positive("NOISE_MEMORY", 60, "windows", TUNNEL);

  /** Ratio of the differences of windows three apart and of neighbours that is usual. */
  double USUAL_NOISE_RATIO = positive("USUAL_NOISE_RATIO", 1.27, "times", DRAWN);

  /** Larger ratio that chance explains. */
  double NOISE_RATIO_CHANCE = positive("NOISE_RATIO_CHANCE", 0.35, "times", DRAWN);

  /** Correlation of neighbours that is usual. */
  double USUAL_CORRELATION = fraction("USUAL_CORRELATION", 0.23, "", DRAWN);

  /** Largest correlation of neighbours that is believed. */
  double LARGEST_CORRELATION = fraction("LARGEST_CORRELATION", 0.9, "", DRAWN);

  /** Variance of a window against half the square of the difference of alike neighbours. */
  double NEIGHBOUR_VARIANCE = positive("NEIGHBOUR_VARIANCE", 1.3, "times", TUNNEL);

  /** Largest square of a surprise that counts as noise. */
  double NOISE_CLIP = positive("NOISE_CLIP", 4, "variances", REST);

  /** Largest square of a difference of windows that counts as noise. */
  double DIFFERENCE_CLIP = positive("DIFFERENCE_CLIP", 9, "variances", ARGUMENT);

  /** Degrees of freedom of Student's t, by which outliers count less as evidence. */
  double OUTLIER_FREEDOM = positive("OUTLIER_FREEDOM", 4, "", ARGUMENT);

  // Observe: drift of the level of all sizes.
  /** Slowest pace of drift. */
  double DRIFT_SLOW = positive("DRIFT_SLOW", 3e-6, "variance a second", WARM_UP);

  /** Middle pace of drift. */
  double DRIFT_MIDDLE = positive("DRIFT_MIDDLE", 3e-4, "variance a second", WARM_UP);

  /** Fastest pace of drift. */
  double DRIFT_FAST = positive("DRIFT_FAST", 5e-3, "variance a second", WARM_UP);

  /** Age of the work at which it drifts at half the pace. */
  double DRIFT_CALM_SECONDS = positive("DRIFT_CALM_SECONDS", 60, "s", DRAWN);

  /** Time in which the merits of the paces fade to a third. */
  double DRIFT_MEMORY_SECONDS = positive("DRIFT_MEMORY_SECONDS", 15, "s", WARM_UP);

  /** Largest square of a surprise that counts as drift. */
  double DRIFT_CLIP = positive("DRIFT_CLIP", 9, "variances", ARGUMENT);

  // Detect a change.
  /** Windows that are compared with the expectation. */
  int CHANGE_WINDOWS = count("CHANGE_WINDOWS", 10, "windows", TUNNEL);

  /** Deviation from which a single window is suspected. */
  double SUSPECT_DEVIATION = positive("SUSPECT_DEVIATION", 3.3, "standard deviations", TUNNEL);

  /** Deviation of a single window that counts at most. */
  double DEVIATION_CLIP = positive("DEVIATION_CLIP", 6, "standard deviations", TUNNEL);

  /** Square of the deviation of a run of windows from which chance is ruled out. */
  double CHANGE_THRESHOLD = positive("CHANGE_THRESHOLD", 16, "variances", TUNNEL);

  /** Variance of a mean that each further window leaves, since neighbours are alike. */
  double NEIGHBOUR_LIKENESS = fraction("NEIGHBOUR_LIKENESS", 0.15, "", TUNNEL);

  /** Deviation of the latest windows that agrees with the mean of a run. */
  double AGREEMENT = fraction("AGREEMENT", 0.4, "of the mean", TUNNEL);

  /** Fall after which a large pool goes down before the cause is known. */
  double DEEP_FALL = positive("DEEP_FALL", 2, "times", TURNS);

  /** Deviation of such a fall, so that noise is no cause. */
  double DEEP_FALL_DEVIATION = positive("DEEP_FALL_DEVIATION", 6, "standard deviations", TURNS);

  /** Windows on the way down after such a fall in which nothing is learned. */
  int DOUBTFUL_WINDOWS = count("DOUBTFUL_WINDOWS", 60, "windows", TURNS);

  /** Fall after which tasks that go on ending are slower; disks stall to a third and recover. */
  double SLOWER = positive("SLOWER", 10, "times", ARGUMENT);

  /** Least time between a way down that was in vain and the next; it doubles each time. */
  double VAIN_DESCENT_SECONDS = positive("VAIN_DESCENT_SECONDS", 60, "s", TURNS);

  /** Time for which a fall must last to be a change. */
  double FALL_SECONDS = positive("FALL_SECONDS", 1.6, "s", DRAWN);

  /** Completions of a fall that tell more than a stall would. */
  double FALL_COMPLETIONS = positive("FALL_COMPLETIONS", 10, "completions", DRAWN);

  /** Time for which a fall with fewer completions must last. */
  double STALL_SECONDS = positive("STALL_SECONDS", 5, "s", DRAWN);

  /** Time after which a run of deviations is a change at any size. */
  double LONGEST_DOUBT_SECONDS = positive("LONGEST_DOUBT_SECONDS", 4, "s", DRAWN);

  /** Kinds of earlier work that are remembered. */
  int REMEMBERED = count("REMEMBERED", 8, "kinds of work", DRAWN);

  /** Weight of knowledge that is worth remembering. */
  double WORTH_REMEMBERING = positive("WORTH_REMEMBERING", 4, "windows", TUNNEL);

  /** Deviation within which earlier work is recognised. */
  double RECOGNITION = positive("RECOGNITION", 2, "standard deviations", TUNNEL);

  /** Windows far from the expectation after which earlier work is recognised by the last. */
  int RECOGNITION_WINDOWS = count("RECOGNITION_WINDOWS", 2, "windows", TURNS);

  /** Variance of an expectation beyond which it recognises nothing. */
  double VAGUE = positive("VAGUE", 0.06, "variance", WARM_UP);

  /** Time for which a change counts as recent. */
  double RECENT_CHANGE_SECONDS = positive("RECENT_CHANGE_SECONDS", 30, "s", DRAWN);

  /** Rise of the threshold by each recent change. */
  double CAUTION = positive("CAUTION", 1, "of the threshold", DRAWN);

  /** Recent changes that raise the threshold at most. */
  double MOST_CAUTION = positive("MOST_CAUTION", 5, "changes", DRAWN);

  /** Weight of evidence from before a change that may be noise in bursts, or a stall. */
  double SAME_SHAPE_WEIGHT = positive("SAME_SHAPE_WEIGHT", 0.1, "windows", TURNS);

  /** Standard deviation of many windows up to which noise does not come in bursts. */
  double STEADY_NOISE = fraction("STEADY_NOISE", 0.15, "of the reward", TURNS);

  /** Standard deviation of many windows from which it does. */
  double BURSTY_NOISE = fraction("BURSTY_NOISE", 0.25, "of the reward", TURNS);

  /** Standard deviations of many windows by which such noise may move the reward. */
  double BURST_DEVIATION = positive("BURST_DEVIATION", 5, "standard deviations", DRAWN);

  /** Time in which falls that passed are forgotten. */
  double PASSED_FALL_SECONDS = positive("PASSED_FALL_SECONDS", 120, "s", DRAWN);

  /** Falls that may have passed by chance. */
  double CHANCE_FALLS = positive("CHANCE_FALLS", 2, "falls", SHARED_DATABASE);

  /** Time within which a fall passes that is no change of the work. */
  double SHORT_FALL_SECONDS = positive("SHORT_FALL_SECONDS", 10, "s", DRAWN);

  /** Rate of changes that a level at a new size is weighed against. */
  double CHANGE_RATE = fraction("CHANGE_RATE", 0.02, "a window", DRAWN);

  /** Deviation of a level at a new size that other work explains better. */
  double OTHER_WORK_DEVIATION = positive("OTHER_WORK_DEVIATION", 4, "standard deviations", DRAWN);

  /** Deviation of the rate that must support another cost of the process. */
  double SUPPORTING_DEVIATION = positive("SUPPORTING_DEVIATION", 2, "standard deviations", DRAWN);

  /** Windows with another cost of a task that make a change. */
  int COST_WINDOWS = count("COST_WINDOWS", 2, "windows", DRAWN);

  /** Evidence that another cost must rule out. */
  double RULED_OUT = fraction("RULED_OUT", 0.5, "of the evidence", DRAWN);

  /** Ratio of costs from which tasks are of other work. */
  double OTHER_COST = positive("OTHER_COST", 2.5, "times", DRAWN);

  /** Ratio of costs that twice as many workers explain. */
  double COST_GROWTH = positive("COST_GROWTH", 4, "times", ARGUMENT);

  /** Ratio of costs of a program that is not compiled yet, at least. */
  double COLD_COST = positive("COLD_COST", 1.8, "times", DRAWN);

  /** Doublings of workers that may raise the cost of a task in proportion. */
  double COST_DOUBLINGS = positive("COST_DOUBLINGS", 1, "doublings", LIMITS);

  /** Tasks below which a window tells no cost. */
  double COST_TASKS = positive("COST_TASKS", 10, "tasks", DRAWN);

  /** Part by which the mean cost follows a window, at least. */
  double COST_FOLLOW = fraction("COST_FOLLOW", 0.125, "of the difference", DRAWN);

  // Update the posterior: evidence.
  /** Time in which evidence about new work fades to a third. */
  double FADE_SECONDS = positive("FADE_SECONDS", 3000, "s", REST);

  /** Time in which evidence fades to a third, as a multiple of the age of the work. */
  double FADE_AGES = positive("FADE_AGES", 2, "ages", REST);

  /** Weight of evidence from which a size is familiar. */
  double FAMILIAR = positive("FAMILIAR", 0.2, "windows", DRAWN);

  /** Weight that a window leaves of evidence from a cold program. */
  double COLD_WEIGHT = fraction("COLD_WEIGHT", 0.5, "of the weight", DRAWN);

  /** Weight below which evidence is dropped. */
  double NEGLIGIBLE_WEIGHT = positive("NEGLIGIBLE_WEIGHT", 0.002, "windows", DRAWN);

  // Update the posterior: curves.
  /** Doubt about a size by the movement of the level since it was last in force. */
  double MOVEMENT_DOUBT = positive("MOVEMENT_DOUBT", 0.5, "of the movement", DRAWN);

  /** Variance of a mean of windows against that of independent ones. */
  double CORRELATION = positive("CORRELATION", 1.8, "times", DRAWN);

  /** Standard deviation of a plant around the best of the shapes. */
  double MISFIT = fraction("MISFIT", 0.015, "of the rate", DRAWN);

  /** Prior of the shapes; the processes share the rest. */
  double SHAPES_PRIOR = fraction("SHAPES_PRIOR", 0.6, "probability", DRAWN);

  /** Prior of a curve with a break. */
  double BREAK_PRIOR = fraction("BREAK_PRIOR", 0.1, "probability", DRAWN);

  /** Least share of the roughest process: a step at a new size is never ruled out. */
  double ROUGHEST_SHARE = fraction("ROUGHEST_SHARE", 0.01, "probability", DRAWN);

  /** Share below which a process is left out. */
  double NEGLIGIBLE_SHARE = fraction("NEGLIGIBLE_SHARE", 1e-3, "probability", ARGUMENT);

  /** Probability against the best below which a shape is left out. */
  double NEGLIGIBLE_SHAPE = fraction("NEGLIGIBLE_SHAPE", 1e-4, "probability", ARGUMENT);

  /** Prior of each common family of shapes. */
  double COMMON_SHAPES = fraction("COMMON_SHAPES", 0.32, "probability", TUNNEL);

  /** Prior of the family of shapes that rise twice. */
  double RARE_SHAPES = fraction("RARE_SHAPES", 0.04, "probability", TUNNEL);

  /** Standard deviation of the slope of the processes. */
  double PROCESS_SLOPE = positive("PROCESS_SLOPE", 0.5, "logarithm of the size", DRAWN);

  /** Length of the rough part of the processes. */
  double ROUGH_LENGTH = positive("ROUGH_LENGTH", 0.7, "logarithm of the size", DRAWN);

  /** Difference of neighbours below which there is no break. */
  double LEAST_BREAK = positive("LEAST_BREAK", 0.2, "logarithm", DRAWN);

  /** Standard deviation of the level above a break. */
  double BREAK_LEVEL = positive("BREAK_LEVEL", 1.5, "logarithm", DRAWN);

  /** Windows for which a decision stands, at most. */
  double STANDING_WINDOWS = positive("STANDING_WINDOWS", 16, "windows", DRAWN);

  /** Windows for which a decision stands, as a part of the windows at the size. */
  double STANDING_SHARE = fraction("STANDING_SHARE", 0.125, "of the windows", DRAWN);

  /** Movement of the level that ends a standing decision. */
  double STANDING_SHIFT = fraction("STANDING_SHIFT", 0.02, "of the level", DRAWN);

  /** Deviation of a window that ends a standing decision. */
  double STANDING_DEVIATION = positive("STANDING_DEVIATION", 1.5, "standard deviations", DRAWN);

  // Update the posterior: the warm-up behind a limit that rejects.
  /** Time of the same work in which it may still be warming up, also for the cost of a task. */
  double WARM_UP_SECONDS = positive("WARM_UP_SECONDS", 15, "s", OVERLOAD);

  /** Part of the rise from window to window that goes on after a resize. */
  double WARM_UP_GOES_ON = fraction("WARM_UP_GOES_ON", 0.95, "of the rise", OVERLOAD);

  /** Time of new work in which each size needs two windows. */
  double COLD_SECONDS = positive("COLD_SECONDS", 6, "s", OVERLOAD);

  /** Rise from window to window from which a size needs two windows. */
  double WARM_UP_RISE = fraction("WARM_UP_RISE", 0.02, "of the level", OVERLOAD);

  // Choose: candidates.
  /** Largest size to try against the largest that was tried. */
  double LEAP = positive("LEAP", 4, "times", TUNNEL);

  /** Most that a worker does among more workers, against what it did among fewer. */
  double GAIN_AMONG_MORE = positive("GAIN_AMONG_MORE", 1.5, "times", DRAWN);

  /** Most that a worker does among fewer workers than were ever tried. */
  double GAIN_AMONG_FEWER = positive("GAIN_AMONG_FEWER", 4, "times", DRAWN);

  /** Largest step up where tasks are slow or a limit rejects: the way back is long. */
  double PATIENT_LEAP = positive("PATIENT_LEAP", 2, "times", LIMITS);

  /** Largest step up where next to nothing ends. */
  double SPARSE_LEAP = positive("SPARSE_LEAP", 1.5, "times", REST);

  /** Largest step up after a collapse. */
  double CAREFUL_LEAP = positive("CAREFUL_LEAP", 1.5, "times", HEAP);

  /** Part of the best reward below which a limit that rejects goes no farther. */
  double WORSE = fraction("WORSE", 0.9, "of the best reward", OVERLOAD);

  /** Distance from the best size up to which such a limit goes all the same. */
  double NEAR_BEST = positive("NEAR_BEST", 1.5, "times", OVERLOAD);

  /** Places of the grid beside the best size that are candidates. */
  int NEIGHBOURS = count("NEIGHBOURS", 2, "places", DRAWN);

  /** Part of the useful workers that is enough. */
  double NEARLY = fraction("NEARLY", 0.98, "of the workers", TUNNEL);

  // Choose: the size.
  /** Price of twice as many workers as are needed. */
  double DOUBLING_PRICE = fraction("DOUBLING_PRICE", 0.04, "of the reward", TUNNEL);

  /** The same for a limit that rejects: a larger one lets more wait behind it. */
  double REJECTING_DOUBLING_PRICE =
      fraction("REJECTING_DOUBLING_PRICE", 0.08, "of the reward", OVERLOAD);

  /** Price of reward that is missing beyond the tolerance. */
  double SHORTFALL_PRICE = positive("SHORTFALL_PRICE", 2, "times", TUNNEL);

  /** Part of the tolerance that is used; the rest is for uncertainty. */
  double TOLERANCE_USED = fraction("TOLERANCE_USED", 0.7, "of the tolerance", TUNNEL);

  /** Smaller expected loss for which a size is left. */
  double INERTIA = fraction("INERTIA", 0.015, "of the reward", DRAWN);

  // Choose: experiments.
  /** Reward of a window beyond that expected of the best size, from which the size is kept. */
  double OUTDOING = positive("OUTDOING", 2, "standard deviations", DRAWN);

  /** Windows of a short experiment. */
  int SHORT_EXPERIMENT = count("SHORT_EXPERIMENT", 2, "windows", DRAWN);

  /** Windows of a usual experiment. */
  int USUAL_EXPERIMENT = count("USUAL_EXPERIMENT", 4, "windows", REST);

  /** Windows of a long experiment. */
  int LONG_EXPERIMENT = count("LONG_EXPERIMENT", 16, "windows", REST);

  /** Time for which knowledge about the knee of a shape is of use. */
  double SHAPE_HORIZON_SECONDS = positive("SHAPE_HORIZON_SECONDS", 60, "s", DRAWN);

  /** Least time for which a better size is of use. */
  double LEAST_HORIZON_SECONDS = positive("LEAST_HORIZON_SECONDS", 60, "s", DRAWN);

  /** Longest time for which a better size is of use. */
  double LONGEST_HORIZON_SECONDS = positive("LONGEST_HORIZON_SECONDS", 180, "s", REST);

  /** Price of the reward that an experiment loses. */
  double EXPERIMENT_PRICE = positive("EXPERIMENT_PRICE", 1, "times", DRAWN);

  /** Reward that a larger size must add. */
  double DOUBLING_WORTH = fraction("DOUBLING_WORTH", 0.02, "of the reward a doubling", DRAWN);

  /** Gain that an experiment must promise where the size binds. */
  double WORTHWHILE = positive("WORTHWHILE", 0.2, "windows of reward", WARM_UP);

  /** Gain that an experiment must promise where the size does not bind. */
  double WORTHWHILE_FREE = positive("WORTHWHILE_FREE", 1, "windows of reward", TUNNEL);

  /** Time for which an experiment makes the next dearer. */
  double RECENT_EXPERIMENT_SECONDS = positive("RECENT_EXPERIMENT_SECONDS", 10, "s", DRAWN);

  /** Time for which work is new, and experiments stay cheap. */
  double NEW_WORK_SECONDS = positive("NEW_WORK_SECONDS", 20, "s", DRAWN);

  // Choose: exploration.
  /** Time that visits to sizes of which little is known may take. */
  double VISIT_SHARE = fraction("VISIT_SHARE", 0.005, "of the time", DRAWN);

  /** Time for visits, in addition, of a curve that is none of the shapes. */
  double ROUGH_VISIT_SHARE = fraction("ROUGH_VISIT_SHARE", 0.01, "of the time", DRAWN);

  /** Time for visits, in addition, of work that is new. */
  double NEW_WORK_VISITS = positive("NEW_WORK_VISITS", 10, "times", DRAWN);

  /** Age of the work at which that has fallen to a third. */
  double VISIT_CALM_SECONDS = positive("VISIT_CALM_SECONDS", 60, "s", DRAWN);

  /** Saved time from which a visit may begin. */
  double VISIT_SECONDS = positive("VISIT_SECONDS", 1, "s", DRAWN);

  /** Time that is saved for visits, at most. */
  double MOST_VISIT_SECONDS = positive("MOST_VISIT_SECONDS", 3, "s", DRAWN);

  /** Gain for which a visit pays. */
  double VISIT_GAIN = fraction("VISIT_GAIN", 0.05, "of the reward", DRAWN);

  /** Standard deviation of a level that is known well enough. */
  double VISIT_UNCERTAINTY = fraction("VISIT_UNCERTAINTY", 0.1, "of the reward", DRAWN);

  /** Standard deviations by which a size may be expected to miss that gain, and is visited. */
  double VISIT_REACH = positive("VISIT_REACH", 1, "standard deviations", DRAWN);

  /** Standard deviations by which it may be expected to miss it while it is visited. */
  double VISIT_HOLD = positive("VISIT_HOLD", 0.5, "standard deviations", DRAWN);

  /** Part of the best reward below which there are no visits to larger sizes. */
  double HOPELESS = fraction("HOPELESS", 0.5, "of the best reward", DRAWN);

  /** Standard deviations by which it must be below it. */
  double HOPELESS_CERTAINTY = positive("HOPELESS_CERTAINTY", 2, "standard deviations", DRAWN);

  /** Time for which a size is barred at which growth was in vain; doubles each time. */
  double VAIN_GROWTH_SECONDS = positive("VAIN_GROWTH_SECONDS", 1, "s", SHARED_PROCESSORS);

  /** Longest such time. */
  double LONGEST_VAIN_GROWTH_SECONDS =
      positive("LONGEST_VAIN_GROWTH_SECONDS", 60, "s", SHARED_PROCESSORS);

  /** Fall of the reward, without a queue, after which a growth was in vain. */
  double VAIN_FALL = fraction("VAIN_FALL", 0.1, "of the reward", SHARED_PROCESSORS);

  /** Standard deviation of the reward of such a size: tasks may have become rare by chance. */
  double VAIN_BLUR = fraction("VAIN_BLUR", 0.6, "of the rate", SHARED_PROCESSORS);

  /** Growth of the number of waiting tasks after which larger sizes are tried at once. */
  double MORE_WAITING = positive("MORE_WAITING", 4, "times", SHARED_PROCESSORS);

  /** Time after a fall before the size from before it is tried again; doubles each time. */
  double RETURN_SECONDS = positive("RETURN_SECONDS", 5, "s", DRAWN);

  /** Fall after which that may pay. */
  double RETURN_GAIN = positive("RETURN_GAIN", 2, "times", DRAWN);

  /** The same where the reward has moved since the pool settled. */
  double MOVED_GAIN = positive("MOVED_GAIN", 1.25, "times", TURNS);

  /** Logarithm by which it must have moved. */
  double MOVED_LEVEL = positive("MOVED_LEVEL", 0.15, "logarithm", TURNS);

  /** Standard deviations of a window by which it must have moved. */
  double MOVED_NOISE = positive("MOVED_NOISE", 1.5, "standard deviations", TURNS);

  /** Size that is tried after the reward has moved, as a multiple of the size in force. */
  double LOOK_ABOVE = positive("LOOK_ABOVE", 2, "times", TURNS);

  /**
   * Gain of such a look that is believed, as a share of the gain of workers that do not hinder each
   * other, both logarithms: 23 % more of twice as many. A smaller gain may be the neighbours' loss.
   */
  double LOOK_GAIN = fraction("LOOK_GAIN", 0.3, "of the gain", SHARED_DATABASE);

  /** Service time up to which tasks from before the look count little, in windows. */
  double LOOK_SHORT_TASK = fraction("LOOK_SHORT_TASK", 0.1, "of a window", ARGUMENT);

  /** Logarithm of the gain that pays where the work of before would do as much as is done now. */
  double RETURN_LEAST = positive("RETURN_LEAST", 0.1, "of the reward", DRAWN);

  /** Variance of an expectation of earlier work beyond which it does not speak for a return. */
  double RETURN_VAGUE = positive("RETURN_VAGUE", 0.25, "variance", DRAWN);

  /** Returns all entries, in their order. */
  static List<TunedConstant> constants() {
    return TuningRegister.INSTANCE.constants();
  }

  /**
   * Checks the system property.
   *
   * @throws IllegalArgumentException naming a wrong value, or an unknown name with the known ones
   */
  static void check() {
    TuningRegister.INSTANCE.check();
  }
}
