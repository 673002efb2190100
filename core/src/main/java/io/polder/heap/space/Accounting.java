package io.polder.heap.space;

/**
 * Whether a heap's derived counts may be wrong, because an operation was cut off by a throwable: of
 * what is dead in a region, of slots that are free, of a leaf on its way.
 *
 * <p>Like the dirty flag of a file system, which has it checked when it is mounted the next time.
 * Words and headers say what is alive; counts are derived from them. Whoever changes a word counts
 * afterwards, in a {@code try} whose {@code finally} sets this in place, by a store, if the count
 * was not reached: so counts only ever say that more is alive than there is, and {@link Recount}
 * finds the rest.
 */
final class Accounting {
    /** Set by whoever was cut off, after the change; cleared before things are counted again. */
    volatile boolean dirty;
}
