/**
 * The controllers: plain classes that turn windows into decisions, without a clock or threads.
 * Users get them from {@link io.poolkeeper.Controllers}.
 */
@NullMarked
package io.poolkeeper.controllers;

import org.jspecify.annotations.NullMarked;
