/** Operations of chunks that something is thrown in. */
@NullMarked
package io.polder.chunk;

import org.jspecify.annotations.NullMarked;
