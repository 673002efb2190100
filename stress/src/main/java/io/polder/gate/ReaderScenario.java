package io.polder.gate;

import io.polder.memory.ProcessFence;

/**
 * One reader and one thread that waits for it, with data that each writes and the other
 * reads, all of it plain.
 */
final class ReaderScenario {
    /** What a reader that was not let in has read. */
    static final int REFUSED = -1;

    private final Gate gate;
    private int before;
    private int written;

    ReaderScenario(Gate gate) {
        this.gate = gate;
    }

    /** The fence without cost for readers, where there is one. */
    static GateFence asymmetric() {
        ProcessFence process = ProcessFence.ofThisProcess();
        return process.isAvailable() ? GateFence.asymmetric(process) : GateFence.full();
    }

    /** Enters, reads and leaves; returns what was read inside. */
    int read() {
        if (!gate.tryEnter()) {
            return REFUSED;
        }
        int read = before;
        written = 1;
        gate.leave();
        return read;
    }

    /** The same by an accessor; returns what was read inside. */
    int readByAccessor() {
        Accessor accessor = gate.accessor();
        if (!accessor.tryEnter()) {
            return REFUSED;
        }
        int read = before;
        written = 1;
        accessor.leave();
        return read;
    }

    /** Writes, waits for a grace period, and returns whether it saw what the reader wrote. */
    int synchronize() {
        before = 1;
        gate.synchronize();
        return written;
    }

    /** Writes, closes, and returns whether it saw what the reader wrote. */
    int close() {
        before = 1;
        gate.close();
        return written;
    }

    /** The same, and opens the gate again. */
    int closeAndReopen() {
        int saw = close();
        gate.reopen();
        return saw;
    }
}
