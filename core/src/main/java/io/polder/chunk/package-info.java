/**
 * Chunks: memory whose size is a power of two, split by halves and merged again.
 *
 * <p>Imports {@code io.polder.memory} alone. Start with {@link io.polder.chunk.ChunkSpace}.
 */
package io.polder.chunk;
