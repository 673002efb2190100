/**
 * Throws at every point of an operation, one after another: at each method entry, at each
 * allocation, in each system call; and has what holds afterwards checked.
 */
@NullMarked
package io.polder.stress.everywhere;

import org.jspecify.annotations.NullMarked;
