package io.polder.heap.space;

/**
 * Whether a heap may have lost count of something, because an operation was cut off by a throwable:
 * of what is dead in a region, of slots that are free, of a leaf on its way.
 *
 * <p>Words and headers say what is alive; counts are derived from them. Whoever changes a word
 * counts afterwards, in a {@code try} whose {@code finally} sets this in place, by a store, if the
 * count was not reached: so counts only ever say that more is alive than there is, and {@link
 * Recount} finds the rest.
 */
final class Losses {
    /** Set by whoever was cut off, after the change; reset before things are counted again. */
    volatile boolean possible;
}
