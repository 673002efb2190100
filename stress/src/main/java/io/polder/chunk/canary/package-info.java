/** A broken owner of chunks, which must be caught. Its classes are instrumented, too. */
@NullMarked
package io.polder.chunk.canary;

import org.jspecify.annotations.NullMarked;
