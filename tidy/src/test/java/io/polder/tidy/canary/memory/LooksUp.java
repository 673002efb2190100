package io.polder.tidy.canary.memory;

import io.polder.tidy.canary.chunk.Upper;

/** Breaks the arrows on purpose: the lowest room knows an upper one. */
public record LooksUp(Upper upper) {}
