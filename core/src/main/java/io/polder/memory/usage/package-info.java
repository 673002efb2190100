/** What all statistics say of memory in the same words. */
@NullMarked
package io.polder.memory.usage;

import org.jspecify.annotations.NullMarked;
