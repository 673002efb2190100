/**
 * jcstress tests of the classes of this package, and what they share. They stand in the package of
 * what they test, because that is not public; on the class path a package may be split.
 */
@NullMarked
package io.polder.arena;

import org.jspecify.annotations.NullMarked;
