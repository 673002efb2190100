/** Finds the library, or brings its own, and what it may do. */
@NullMarked
package io.polder.agent.library;

import org.jspecify.annotations.NullMarked;
