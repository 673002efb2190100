/** Blocks that any thread allocates and frees, against malloc: {@code polder lab blocks}. */
@NullMarked
package io.polder.lab.experiments.blocks;

import org.jspecify.annotations.NullMarked;
