/** Objects in native memory that are compacted while the program runs. */
@NullMarked
package io.polder.heap;

import org.jspecify.annotations.NullMarked;
