/** Objects that move: handles, regions, and the protocol by which they are evacuated. */
@NullMarked
package io.polder.heap.space;

import org.jspecify.annotations.NullMarked;
