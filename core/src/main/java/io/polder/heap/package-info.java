/**
 * Objects in native memory that are compacted while the program runs.
 *
 * <p>A hash map of records, without an object of the Java heap for each of them:
 *
 * {@snippet class="HeapMapSnippets" region="map"}
 */
@NullMarked
package io.polder.heap;

import org.jspecify.annotations.NullMarked;
