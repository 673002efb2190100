/** What is printed: tables, progress, and text that is harmless to a terminal. */
@NullMarked
package io.polder.tools.terminal;

import org.jspecify.annotations.NullMarked;
