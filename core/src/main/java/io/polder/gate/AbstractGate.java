package io.polder.gate;

/** What gates have in common: all but the way a thread passes. */
abstract sealed class AbstractGate implements Gate permits CounterGate, SlotGate {
    private final Door door;
    private final Protocol protocol;
    private final Visitors<?> visitors;

    AbstractGate(Door door, Protocol protocol, Visitors<?> visitors) {
        this.door = door;
        this.protocol = protocol;
        this.visitors = visitors;
    }

    @Override
    public abstract Visitor accessor();

    @Override
    public final boolean isInside() {
        return accessor().isInside();
    }

    @Override
    public final void awaitEarlier() {
        checkOutside();
        door.awaitEarlier();
    }

    @Override
    public final void close() {
        checkOutside();
        door.close();
    }

    @Override
    public final void closeFromInside() {
        accessor().giveUp();
        door.close();
    }

    @Override
    public final void reopen() {
        door.reopen();
    }

    @Override
    public final boolean isClosed() {
        return door.isClosed();
    }

    @Override
    public final GateStatistics statistics() {
        return door.statistics(visitors.count());
    }

    @Override
    public final void verify() {
        visitors.verify(0);
        door.verify();
    }

    @Override
    public final void verifyEmpty() {
        verify();
        protocol.verifyEmpty();
        visitors.verifyEmpty();
    }

    private void checkOutside() {
        if (isInside()) {
            throw new IllegalStateException(
                    "a thread must not wait for itself: it is inside: thread="
                            + Thread.currentThread());
        }
    }
}
