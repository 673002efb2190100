/** A cache whose keys and values are not on the Java heap; begins with {@code OffHeapCache}. */
@NullMarked
package io.polder.cache;

import org.jspecify.annotations.NullMarked;
