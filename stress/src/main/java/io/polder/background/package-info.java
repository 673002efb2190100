/**
 * jcstress tests of the background thread. They stand in its package because most of it is not
 * public; on the class path a package may be split.
 */
@NullMarked
package io.polder.background;

import org.jspecify.annotations.NullMarked;
