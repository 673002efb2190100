/**
 * Gates that the one of the library is compared with: readers are counted in one counter, or in
 * stripes. They consist of parts of the library, and share its package, on the class path.
 */
@NullMarked
package io.polder.gate;

import org.jspecify.annotations.NullMarked;
