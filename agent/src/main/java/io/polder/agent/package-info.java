/** The agent: pooled arenas for a program as it is, and a census of its arenas. */
@NullMarked
package io.polder.agent;

import org.jspecify.annotations.NullMarked;
