/** Caffeine's interfaces of an off-heap cache; begins with {@code OffHeapCaffeine}. */
@NullMarked
package io.polder.cache.caffeine;

import org.jspecify.annotations.NullMarked;
