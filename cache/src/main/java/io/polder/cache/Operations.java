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
    final Computing<K, V> computing;

    Operations(Turns<K, V> turns, Removed<K, V> removed) {
        this.turns = turns;
        this.reads = new Reads<>(turns);
        this.writes = new Writes<>(turns, reads, removed);
        this.computing = new Computing<>(turns, reads, writes, removed);
    }
}
