package io.polder.gate;

/** What gates have in common: all but the way a thread passes. */
abstract non-sealed class AbstractGate implements Gate {
    final ClosedState closedState;
    final Protocol protocol;
    final ReaderRegistry<?> readers;

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

    private void checkOutside() {
        if (isInside()) {
            throw new IllegalStateException(
                    "a thread must not wait for itself: it is inside: thread="
                            + Thread.currentThread());
        }
    }
}
