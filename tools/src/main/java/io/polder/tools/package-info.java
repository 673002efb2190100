/** The {@code polder} command, as far as it looks at other programs. */
@NullMarked
package io.polder.tools;

import org.jspecify.annotations.NullMarked;
