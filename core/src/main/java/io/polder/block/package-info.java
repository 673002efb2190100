/**
 * Blocks: memory that any thread allocates and any thread frees, at an address that stays.
 *
 * <p>Start with {@link io.polder.block.BlockSpace}.
 */
package io.polder.block;
