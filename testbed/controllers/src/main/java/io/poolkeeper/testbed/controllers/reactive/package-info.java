/**
 * Thread pools that react to their own queue and workers: FBOS, the pools it was compared with, and
 * those of its survey (Bahadur, Naeem, Javed and Wahab 2014, sections 2 to 4).
 */
@NullMarked
package io.poolkeeper.testbed.controllers.reactive;

import org.jspecify.annotations.NullMarked;
