package io.poolkeeper;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A pool that makes no progress: all workers busy, nothing ended, tasks waiting.
 *
 * @param window the last window
 * @param since how long there has been no progress
 * @param stacks what each worker is doing, by thread name
 */
public record Hang(Window window, Duration since, Map<String, List<StackTraceElement>> stacks) {}
