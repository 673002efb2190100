package io.polder.tidy.canary.chunk;

/** What the lower room should not know. */
public record Upper(String name) {}
