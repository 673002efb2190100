package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * A gate where each platform thread marks its visits in a slot of its own: a visit costs two stores
 * and two loads of memory that no other thread touches, and with a {@linkplain GateFence full
 * fence} one of these more. Virtual threads share counters, as in {@link StripedGate}.
 *
 * <p>How it works: {@link SlotProtocol}.
 */
public final class SlotGate extends AbstractGate {
    /** For virtual threads: so many for each processor, since only its carriers run. Guessed. */
    private static final int STRIPES_PER_PROCESSOR = 4;

    /** The table's own. That it is seen here, with its type, saves a nanosecond per visit. */
    private final @Nullable SlotVisitor[] entries = new @Nullable SlotVisitor[VisitorTable.ENTRIES];

    private final VisitorTable<SlotVisitor> table;
    private final VirtualVisitors virtual;

    /**
     * An open gate.
     *
     * @param fence what stands between a visitor and those who wait, as {@link GateFence#choose}
     */
    public SlotGate(GateFence fence) {
        this(new Parts(fence));
    }

    private SlotGate(Parts parts) {
        super(parts.door, parts.protocol, parts.visitors);
        this.table = new VisitorTable<>(parts.visitors, entries);
        this.virtual = new VirtualVisitors(parts.stripes, parts.door, parts.drain);
    }

    @Override
    public Visitor accessor() {
        Thread current = Thread.currentThread();
        SlotVisitor visitor = find(current);
        return visitor != null ? visitor : virtual.find(current);
    }

    @Override
    public void enter() {
        Thread current = Thread.currentThread();
        SlotVisitor visitor = find(current);
        if (visitor != null) {
            visitor.enterUnchecked();
        } else {
            virtual.find(current).enterUnchecked();
        }
    }

    @Override
    public boolean tryEnter() {
        Thread current = Thread.currentThread();
        SlotVisitor visitor = find(current);
        return visitor != null
                ? visitor.tryEnterUnchecked()
                : virtual.find(current).tryEnterUnchecked();
    }

    @Override
    public void leave() {
        Thread current = Thread.currentThread();
        SlotVisitor visitor = find(current);
        if (visitor != null) {
            visitor.leaveUnchecked();
        } else {
            virtual.find(current).leaveUnchecked();
        }
    }

    /** {@link VisitorTable#find}, of which this is all that is usually needed. */
    private @Nullable SlotVisitor find(Thread current) {
        SlotVisitor entry = entries[VisitorTable.index(current)];
        return entry != null && entry.isOf(current) ? entry : table.findBehind(current);
    }

    private static int stripeCount() {
        int wanted = STRIPES_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
        return Math.min(StripedGate.STRIPES, Integer.highestOneBit(2 * wanted - 1));
    }

    /** What an open gate consists of. */
    private static final class Parts {
        private final Drain drain = new Drain();
        private final Stripes stripes = new Stripes(stripeCount());
        private final Visitors<SlotVisitor> visitors;
        private final SlotProtocol protocol;
        private final Door door;

        Parts(GateFence fence) {
            Slots slots = new Slots();
            long signals = fence.signals();
            visitors = new Visitors<>(slots, this::visitor, signals);
            CounterProtocol counters = new CounterProtocol(stripes, drain, visitors::buryEnded);
            protocol = new SlotProtocol(slots, visitors, counters, drain, fence);
            door = new Door(protocol);
            if (signals != 0) {
                fence.tellWhenFree(protocol);
            }
        }

        private SlotVisitor visitor(Thread owner, Visitor.Place place) {
            return new SlotVisitor(owner, door, place, drain);
        }
    }
}
