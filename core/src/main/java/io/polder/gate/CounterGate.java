package io.polder.gate;

/** A gate whose visits are counted in stripes, for platform and virtual threads alike. */
abstract sealed class CounterGate extends AbstractGate permits SingleCounterGate, StripedGate {
    private final VisitorTable<CounterVisitor> table;
    private final VirtualVisitors virtual;

    /** A gate of these parts. */
    CounterGate(Parts parts) {
        super(parts.door, parts.protocol, parts.visitors);
        this.table = new VisitorTable<>(parts.visitors, new CounterVisitor[VisitorTable.ENTRIES]);
        this.virtual = new VirtualVisitors(parts.stripes, parts.door, parts.drain);
    }

    @Override
    public final CounterVisitor accessor() {
        Thread current = Thread.currentThread();
        CounterVisitor visitor = table.find(current);
        return visitor != null ? visitor : virtual.find(current);
    }

    @Override
    public final void enter() {
        accessor().enterUnchecked();
    }

    @Override
    public final boolean tryEnter() {
        return accessor().tryEnterUnchecked();
    }

    @Override
    public final void leave() {
        accessor().leaveUnchecked();
    }

    /** What an open gate with that many stripes consists of. */
    static final class Parts {
        private final Drain drain = new Drain();
        private final Stripes stripes;
        private final Visitors<CounterVisitor> visitors;
        private final CounterProtocol protocol;
        private final Door door;

        Parts(int stripeCount) {
            stripes = new Stripes(stripeCount);
            visitors = new Visitors<>(new Slots(), this::visitor, 0);
            protocol = new CounterProtocol(stripes, drain, visitors::buryEnded);
            door = new Door(protocol);
        }

        private CounterVisitor visitor(Thread owner, Visitor.Place place) {
            return new CounterVisitor(owner, door, place, drain, stripes);
        }
    }
}
