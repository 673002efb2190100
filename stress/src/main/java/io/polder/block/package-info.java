/**
 * jcstress tests of blocks that other threads free. They stand in the package of what they test; on
 * the class path a package may be split.
 */
@NullMarked
package io.polder.block;

import org.jspecify.annotations.NullMarked;
