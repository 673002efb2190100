/**
 * jcstress tests of the gates, and what they share. They stand in the package of what they test,
 * because parts of that are not public; on the class path a package may be split.
 */
@NullMarked
package io.polder.gate;

import org.jspecify.annotations.NullMarked;
