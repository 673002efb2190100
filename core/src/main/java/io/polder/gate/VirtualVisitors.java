package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * Finds the visitor of the running virtual thread.
 *
 * <p>There may be millions of them, so they have no slots and are not registered: each is known to
 * its thread alone, and goes with it. A visit that its thread does not end lasts for ever.
 */
final class VirtualVisitors {
    @SuppressWarnings("ThreadLocalUsage") // one for each gate
    private final ThreadLocal<@Nullable CounterVisitor> local = new ThreadLocal<>();

    private final Stripes stripes;
    private final Door door;
    private final Drain drain;

    VirtualVisitors(Stripes stripes, Door door, Drain drain) {
        this.stripes = stripes;
        this.door = door;
        this.drain = drain;
    }

    /** The visitor of this thread, which is the running one. */
    CounterVisitor find(Thread current) {
        CounterVisitor visitor = local.get();
        if (visitor == null) {
            visitor = new CounterVisitor(current, door, Visitor.Place.ofItsOwn(), drain, stripes);
            local.set(visitor);
        }
        return visitor;
    }
}
