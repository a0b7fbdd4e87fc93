/**
 * The controllers. Each is a plain class: windows in, decisions out, no clock and no threads. Users
 * get them from {@link io.poolkeeper.Controllers}.
 */
@NullMarked
package io.poolkeeper.controllers;

import org.jspecify.annotations.NullMarked;
