@NullMarked
package io.poolkeeper.testbed.hosts.servlet;

import org.jspecify.annotations.NullMarked;
