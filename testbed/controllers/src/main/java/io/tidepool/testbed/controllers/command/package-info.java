/** What the commands of the testbed have in common: none of them loses output without a word. */
@NullMarked
package io.tidepool.testbed.controllers.command;

import org.jspecify.annotations.NullMarked;
