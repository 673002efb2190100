/** What several experiments ask of the machine besides Polder. */
@NullMarked
package io.polder.lab.machine;

import org.jspecify.annotations.NullMarked;
