/** Providers for tests. */
@NullMarked
package io.polder.memory;

import org.jspecify.annotations.NullMarked;
