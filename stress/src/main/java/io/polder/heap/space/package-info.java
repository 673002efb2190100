/** Objects that move while they are used, and the table that says where they are. */
@NullMarked
package io.polder.heap.space;

import org.jspecify.annotations.NullMarked;
