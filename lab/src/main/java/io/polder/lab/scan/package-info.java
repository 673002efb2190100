/** {@code polder scan}: how programs use native memory, by their class files. */
@NullMarked
package io.polder.lab.scan;

import org.jspecify.annotations.NullMarked;
