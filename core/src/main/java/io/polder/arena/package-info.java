/**
 * Arenas: memory with one owner and one lifetime.
 *
 * <p>Imports {@code io.polder.memory}; knows nothing of the pool above it. Start with {@link
 * io.polder.arena.ArenaFactory}.
 */
package io.polder.arena;
