/** Tests of what controllers are made of; their behaviour is tested with the kit, in testkit. */
@NullMarked
package io.poolkeeper.controllers;

import org.jspecify.annotations.NullMarked;
