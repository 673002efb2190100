/** Programs for the agent by hand: classes of Polder itself are never rewritten. */
@NullMarked
package example;

import org.jspecify.annotations.NullMarked;
