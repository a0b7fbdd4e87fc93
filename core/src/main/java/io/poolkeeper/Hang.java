package io.poolkeeper;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A hang of a pool: all workers are busy, nothing ends, and tasks wait.
 *
 * @param window the last window
 * @param since time without progress
 * @param stacks stack of each worker by thread name
 */
public record Hang(Window window, Duration since, Map<String, List<StackTraceElement>> stacks) {}
