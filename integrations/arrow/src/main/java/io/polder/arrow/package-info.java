/** The memory of Apache Arrow's buffers, in blocks of Polder's. */
@NullMarked
package io.polder.arrow;

import org.jspecify.annotations.NullMarked;
