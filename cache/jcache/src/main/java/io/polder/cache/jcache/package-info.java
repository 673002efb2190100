/** JCache in memory outside the Java heap. */
@NullMarked
package io.polder.cache.jcache;

import org.jspecify.annotations.NullMarked;
