package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * A gate where each platform thread marks its critical sections in a slot of its own: one costs two
 * stores and two loads of memory that no other thread touches, and with a {@linkplain GateFence
 * full fence} one of these more. Virtual threads share striped counters.
 *
 * <p>How it works: {@link SlotProtocol}.
 */
public final class SlotGate extends AbstractGate {
    /** For virtual threads: so many for each processor, since only its carriers run. Guessed. */
    private static final int STRIPES_PER_PROCESSOR = 4;

    /** As many as threads of a large machine can use at once without meeting too often. */
    private static final int STRIPES_MAX = 64;

    /** The table's own. Since it is seen here, with its type, each look-up saves a nanosecond. */
    private final @Nullable SlotReader[] entries = new @Nullable SlotReader[ReaderTable.ENTRIES];

    private final ReaderTable<SlotReader> table;
    private final VirtualReaders virtual;

    /**
     * An open gate.
     *
     * @param fence what orders readers and waiters, as {@link GateFence#choose}
     */
    public SlotGate(GateFence fence) {
        this(new Parts(fence));
    }

    private SlotGate(Parts parts) {
        super(parts.closedState, parts.protocol, parts.readers);
        this.table = new ReaderTable<>(parts.readers, entries);
        this.virtual = new VirtualReaders(parts.stripes, parts.closedState, parts.readerWait);
    }

    @Override
    public Reader accessor() {
        Thread current = Thread.currentThread();
        SlotReader reader = find(current);
        return reader != null ? reader : virtual.find(current);
    }

    @Override
    public void enter() {
        Thread current = Thread.currentThread();
        SlotReader reader = find(current);
        if (reader != null) {
            reader.enterUnchecked();
        } else {
            virtual.find(current).enterUnchecked();
        }
    }

    @Override
    public boolean tryEnter() {
        Thread current = Thread.currentThread();
        SlotReader reader = find(current);
        return reader != null
                ? reader.tryEnterUnchecked()
                : virtual.find(current).tryEnterUnchecked();
    }

    @Override
    public void leave() {
        Thread current = Thread.currentThread();
        SlotReader reader = find(current);
        if (reader != null) {
            reader.leaveUnchecked();
        } else {
            virtual.find(current).leaveUnchecked();
        }
    }

    /** {@link ReaderTable#find}, of which this is all that is usually needed. */
    private @Nullable SlotReader find(Thread current) {
        SlotReader entry = entries[ReaderTable.index(current)];
        return entry != null && entry.isOf(current) ? entry : table.findBehind(current);
    }

    private static int stripeCount() {
        int wanted = STRIPES_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
        return Math.min(STRIPES_MAX, Integer.highestOneBit(2 * wanted - 1));
    }

    /** What an open gate consists of. */
    private static final class Parts {
        private final ReaderWait readerWait = new ReaderWait();
        private final Stripes stripes = new Stripes(stripeCount());
        private final ReaderRegistry<SlotReader> readers;
        private final SlotProtocol protocol;
        private final ClosedState closedState;

        Parts(GateFence fence) {
            Slots slots = new Slots();
            long signals = fence.signals();
            readers = new ReaderRegistry<>(slots, this::reader, signals);
            CounterProtocol counters = new CounterProtocol(stripes, readerWait, readers::reapEnded);
            protocol = new SlotProtocol(slots, readers, counters, readerWait, fence);
            closedState = new ClosedState(protocol);
            if (signals != 0) {
                fence.tellWhenFree(protocol);
            }
        }

        private SlotReader reader(Thread owner, Reader.Place place) {
            return new SlotReader(owner, closedState, place, readerWait);
        }
    }
}
