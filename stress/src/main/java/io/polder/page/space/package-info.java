/**
 * jcstress tests of the line in which threads wait for pages. They stand in its package because it
 * is not public; on the class path a package may be split.
 */
@NullMarked
package io.polder.page.space;

import org.jspecify.annotations.NullMarked;
