/**
 * The controllers. Each is a plain class: windows in, decisions out, no clock and no threads. Users
 * get them from {@link io.tidepool.Controllers}.
 */
@NullMarked
package io.tidepool.controllers;

import org.jspecify.annotations.NullMarked;
