/** Looks into caches. */
@NullMarked
package io.polder.cache;

import org.jspecify.annotations.NullMarked;
