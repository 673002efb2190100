package io.polder.gate;

/**
 * A gate whose critical sections are counted in stripes, for platform and virtual threads alike.
 */
abstract sealed class CounterGate extends AbstractGate permits SingleCounterGate, StripedGate {
    private final ReaderTable<CounterReader> table;
    private final VirtualReaders virtual;

    /** A gate of these parts. */
    CounterGate(Parts parts) {
        super(parts.closedState, parts.protocol, parts.readers);
        this.table = new ReaderTable<>(parts.readers, new CounterReader[ReaderTable.ENTRIES]);
        this.virtual = new VirtualReaders(parts.stripes, parts.closedState, parts.readerWait);
    }

    @Override
    public final CounterReader accessor() {
        Thread current = Thread.currentThread();
        CounterReader reader = table.find(current);
        return reader != null ? reader : virtual.find(current);
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
        private final ReaderWait readerWait = new ReaderWait();
        private final Stripes stripes;
        private final ReaderRegistry<CounterReader> readers;
        private final CounterProtocol protocol;
        private final ClosedState closedState;

        Parts(int stripeCount) {
            stripes = new Stripes(stripeCount);
            readers = new ReaderRegistry<>(new Slots(), this::reader, 0);
            protocol = new CounterProtocol(stripes, readerWait, readers::reapEnded);
            closedState = new ClosedState(protocol);
        }

        private CounterReader reader(Thread owner, Reader.Place place) {
            return new CounterReader(owner, closedState, place, readerWait, stripes);
        }
    }
}
