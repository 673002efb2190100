package io.polder.gate;

import io.polder.memory.ProcessFence;

/**
 * One thread that visits and one that waits for visits, with data that each writes and the other
 * reads, all of it plain.
 */
final class Passing {
    /** What a visitor that was not let in has read. */
    static final int REFUSED = -1;

    private final Gate gate;
    private int before;
    private int visited;

    Passing(Gate gate) {
        this.gate = gate;
    }

    /** The fence without cost for visitors, where there is one. */
    static GateFence asymmetric() {
        ProcessFence process = ProcessFence.ofThisProcess();
        return process.isAvailable() ? GateFence.asymmetric(process) : GateFence.full();
    }

    /** Visits; returns what was read inside. */
    int visit() {
        if (!gate.tryEnter()) {
            return REFUSED;
        }
        int read = before;
        visited = 1;
        gate.leave();
        return read;
    }

    /** Visits by an accessor; returns what was read inside. */
    int visitByAccessor() {
        Accessor accessor = gate.accessor();
        if (!accessor.tryEnter()) {
            return REFUSED;
        }
        int read = before;
        visited = 1;
        accessor.leave();
        return read;
    }

    /** Writes, waits for earlier visits, and returns whether it saw the visit. */
    int awaitEarlier() {
        before = 1;
        gate.awaitEarlier();
        return visited;
    }

    /** Writes, closes, and returns whether it saw the visit. */
    int close() {
        before = 1;
        gate.close();
        return visited;
    }

    /** The same, and opens the gate again. */
    int closeAndReopen() {
        int saw = close();
        gate.reopen();
        return saw;
    }
}
