/**
 * Recycling: memory of an arena that is freed block by block and allocated again while the arena is
 * open.
 *
 * <p>Knows the argument checks of {@code io.polder.arena}, and nothing else of it. Start with
 * {@link io.polder.arena.recycling.Recycler}.
 */
package io.polder.arena.recycling;
