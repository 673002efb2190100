/**
 * Operations of pools that something is thrown in. They stand in the package of what they use,
 * because not all of it is public; on the class path a package may be split.
 */
@NullMarked
package io.polder;

import org.jspecify.annotations.NullMarked;
