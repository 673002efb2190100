/** The cache experiment: what caches outside the Java heap hold, keep, and how fast they are. */
@NullMarked
package io.polder.lab.experiments.cache;

import org.jspecify.annotations.NullMarked;
