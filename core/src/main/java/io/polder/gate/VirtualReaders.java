package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * Finds the reader of the running virtual thread.
 *
 * <p>There may be millions of them, so they have no slots and are not registered: each is known to
 * its thread alone, and goes with it. A critical section that its thread does not end lasts for
 * ever.
 */
final class VirtualReaders {
    @SuppressWarnings("ThreadLocalUsage") // one for each gate
    private final ThreadLocal<@Nullable CounterReader> local = new ThreadLocal<>();

    private final Stripes stripes;
    private final ClosedState closedState;
    private final ReaderWait readerWait;

    VirtualReaders(Stripes stripes, ClosedState closedState, ReaderWait readerWait) {
        this.stripes = stripes;
        this.closedState = closedState;
        this.readerWait = readerWait;
    }

    /** The reader of this thread, which is the running one. */
    CounterReader find(Thread current) {
        CounterReader reader = local.get();
        if (reader == null) {
            reader =
                    new CounterReader(
                            current, closedState, Reader.Place.ofItsOwn(), readerWait, stripes);
            local.set(reader);
        }
        return reader;
    }
}
