package io.polder.tidy.canary.attic;

/** Stands in a room that the plan does not know. */
public record Unknown(String name) {}
