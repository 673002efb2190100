package io.polder.lab.experiments.replay;

import io.polder.MemoryPool;
import io.polder.lab.experiments.replay.ArenaEvent.Kind;

import java.lang.foreign.Arena;
import java.util.Objects;

/**
 * Some events in a row, done at once on a pool so that the time they take can be measured without
 * the reading of the log: an arena is opened, a block is allocated and filled, an arena is closed.
 * Not thread-safe.
 */
final class EventBatch {
    private static final int EVENTS_MAX = 4096;

    /** What the JVM aligns metadata to. */
    private static final long ALIGNMENT = ArenaEvent.WORD_BYTES;

    /** Written to every byte that is allocated, as a JVM writes its metadata. */
    private static final byte CONTENT = 0x5a;

    private final MemoryPool pool;
    private final Kind[] kinds = new Kind[EVENTS_MAX];
    private final LoggedOwner[] owners = new LoggedOwner[EVENTS_MAX];
    private final long[] bytes = new long[EVENTS_MAX];
    private int count;
    private long nanos;

    EventBatch(MemoryPool pool) {
        this.pool = pool;
    }

    /** Adds an event; does all that were added when there are enough of them. */
    void add(ArenaEvent event, LoggedOwner owner) {
        kinds[count] = event.kind();
        owners[count] = owner;
        bytes[count] = event.bytes();
        count++;
        if (count == EVENTS_MAX) {
            run();
        }
    }

    /** Does all events that were added and are not done yet. */
    void run() {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            LoggedOwner owner = owners[i];
            switch (kinds[i]) {
                case BORN -> owner.setArena(pool.openConfined());
                case REQUESTED -> arena(owner).allocate(bytes[i], ALIGNMENT).fill(CONTENT);
                case DIES -> owner.closeArena();
            }
        }
        nanos += System.nanoTime() - start;
        count = 0;
    }

    /** Closes the arenas of events that were added but could not be done. */
    void abandon() {
        for (int i = 0; i < count; i++) {
            owners[i].closeArena();
        }
        count = 0;
    }

    private static Arena arena(LoggedOwner owner) {
        return Objects.requireNonNull(owner.arena(), "an owner has its arena while it lives");
    }

    /** How long all that was done took. */
    long nanos() {
        return nanos;
    }
}
