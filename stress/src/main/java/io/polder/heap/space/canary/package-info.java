/** Broken ways to move objects, which must be caught. */
@NullMarked
package io.polder.heap.space.canary;

import org.jspecify.annotations.NullMarked;
