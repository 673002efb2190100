/** Providers for tests: one of its own, and one whose system calls are refused now and then. */
@NullMarked
package io.polder.memory;

import org.jspecify.annotations.NullMarked;
