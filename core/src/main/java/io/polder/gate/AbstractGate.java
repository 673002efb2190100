package io.polder.gate;

/** What gates have in common: all but the way a thread passes. */
abstract non-sealed class AbstractGate implements Gate {
    private final ClosedState closedState;
    private final Protocol protocol;
    private final ReaderRegistry<?> readers;

    AbstractGate(ClosedState closedState, Protocol protocol, ReaderRegistry<?> readers) {
        this.closedState = closedState;
        this.protocol = protocol;
        this.readers = readers;
    }

    @Override
    public abstract Reader accessor();

    @Override
    public final boolean isInside() {
        return accessor().isInside();
    }

    @Override
    public final void synchronize() {
        checkOutside();
        closedState.synchronize();
    }

    @Override
    public final void close() {
        checkOutside();
        closedState.close();
    }

    @Override
    public final void closeFromInside() {
        accessor().giveUp();
        closedState.close();
    }

    @Override
    public final void reopen() {
        closedState.reopen();
    }

    @Override
    public final boolean isClosed() {
        return closedState.isClosed();
    }

    @Override
    public final GateStatistics statistics() {
        return closedState.statistics(readers.count());
    }

    @Override
    public final void verify() {
        readers.verify(0);
        closedState.verify();
    }

    @Override
    public final void verifyEmpty() {
        verify();
        protocol.verifyEmpty();
        readers.verifyEmpty();
    }

    private void checkOutside() {
        if (isInside()) {
            throw new IllegalStateException(
                    "a thread must not wait for itself: it is inside: thread="
                            + Thread.currentThread());
        }
    }
}
