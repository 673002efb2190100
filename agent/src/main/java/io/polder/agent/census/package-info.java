/** Counts arenas: how many, how large, how long, where. */
@NullMarked
package io.polder.agent.census;

import org.jspecify.annotations.NullMarked;
