/** A provider of memory for programs that measure or test one with a method or two of their own. */
@NullMarked
package io.polder.memory;

import org.jspecify.annotations.NullMarked;
