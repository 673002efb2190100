/** Soak programs: arenas in very many threads, and what is left of them afterwards. */
@NullMarked
package io.polder.stress;

import org.jspecify.annotations.NullMarked;
