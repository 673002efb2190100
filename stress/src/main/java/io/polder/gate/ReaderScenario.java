package io.polder.gate;

import java.lang.foreign.Arena;

/**
 * One reader and one thread that waits for it, with data that each writes and the other
 * reads, all of it plain.
 */
final class ReaderScenario {
    /** What a reader that was not let in has read. */
    static final int REFUSED = -1;

    /** What {@link io.polder.memory.ProcessFence} does where there is no {@code membarrier}. */
    static final Runnable HANDSHAKE = () -> Arena.ofShared().close();

    private final Gate gate;
    private int before;
    private int written;

    ReaderScenario(Gate gate) {
        this.gate = gate;
    }

    /** Begins a critical section, reads and ends it; returns what was read inside. */
    int read() {
        Accessor accessor = gate.accessor();
        long section = accessor.begin();
        if (section == 0) {
            return REFUSED;
        }
        int read = before;
        written = 1;
        accessor.end(section);
        return read;
    }

    /** The same by the gate itself; returns what was read inside. */
    int readInside() {
        return (int)
                gate.insideAsLong(
                        (scenario, _, _, _, _, _) -> scenario.readAndWrite(),
                        this,
                        0,
                        0,
                        0,
                        0,
                        null,
                        () -> REFUSED);
    }

    private int readAndWrite() {
        int read = before;
        written = 1;
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
