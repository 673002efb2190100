/** {@code polder scan}: how programs use native memory, by their class files. */
@NullMarked
package io.polder.tools.scan;

import org.jspecify.annotations.NullMarked;
