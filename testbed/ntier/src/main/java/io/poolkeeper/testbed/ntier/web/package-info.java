/** Requests and pages of the bulletin board, whatever they are about. */
@NullMarked
package io.poolkeeper.testbed.ntier.web;

import org.jspecify.annotations.NullMarked;
