/** A soak of everything at once, as a server that runs for long would use it. */
@NullMarked
package io.polder.stress.soak;

import org.jspecify.annotations.NullMarked;
