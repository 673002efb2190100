package io.polder.cache;

/**
 * What a cache does with one key. A lookup takes no lock; a change takes the lock of its key, for a
 * moment; and a function of the program runs without one.
 *
 * <p>Thread-safe.
 */
final class Operations<K, V> {
    final Turns<K, V> turns;
    final Reads<K, V> reads;
    final Writes<K, V> writes;

    /** For what a loader gives: a value that is too large is as if evicted at once. */
    final Writes<K, V> loaded;

    final Computing<K, V> computing;
    private final Removed<K, V> removed;

    /**
     * @param refuses whether putting a value that is too large throws; if not, it is as if evicted
     */
    Operations(Turns<K, V> turns, Removed<K, V> removed, boolean refuses) {
        this.turns = turns;
        this.removed = removed;
        this.reads = new Reads<>(turns);
        this.loaded = new Writes<>(turns, reads, removed, false);
        this.writes = refuses ? new Writes<>(turns, reads, removed, true) : loaded;
        this.computing = new Computing<>(this, removed);
    }

    /** The same, which refuse nothing for its size. */
    Operations<K, V> evicting() {
        return new Operations<>(turns, removed, false);
    }
}
