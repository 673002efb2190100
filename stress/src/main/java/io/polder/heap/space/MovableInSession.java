package io.polder.heap.space;

import io.polder.heap.HeapObjects;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A {@link Movable} that a thread uses in a session: by uses of the session, and by one in steps,
 * between which the thread stands still.
 */
public final class MovableInSession {
    /**
     * Looks in the middle of a session until the thread goes on. Others need about as long to move
     * the object, and wait for the session.
     */
    private static final int LOOKS_MAX = 1000;

    private static final long LAST = Movable.BYTES - Long.BYTES;

    private final Movable object;
    private final Lending lending;

    /** Whether a close of the access gate has returned. */
    private volatile boolean closed;

    /** How long a session claims the memory that it uses. */
    public enum Claim {
        /** From before the first use until after the last one. */
        WHOLE {
            @Override
            long run(MovableInSession in, Uses first, Uses rest) {
                return in.session(
                        session -> first.applyAsLong(session) | rest.applyAsLong(session));
            }
        },
        /** Broken: until the first use is over. */
        FIRST_USE {
            @Override
            long run(MovableInSession in, Uses first, Uses rest) {
                long found = in.session(first::applyAsLong);
                return found | rest.applyAsLong(in.unclaimed());
            }
        },
        /** Broken: not at all. */
        NEVER {
            @Override
            long run(MovableInSession in, Uses first, Uses rest) {
                HeapObjects session = in.unclaimed();
                return first.applyAsLong(session) | rest.applyAsLong(session);
            }
        };

        abstract long run(MovableInSession in, Uses first, Uses rest);
    }

    /** What is done in a session; the bits of all that was found. */
    @FunctionalInterface
    private interface Uses extends ToLongFunction<HeapObjects> {}

    /** An object whose region is in a phase of a cycle. */
    public MovableInSession(int phase) {
        object = new Movable(phase);
        lending = new Lending(object.lookup, new Loans());
    }

    private long session(Function<HeapObjects, Long> function) {
        Object found =
                object.access.inside(
                        Lending.SESSION, lending, 0, function, () -> HeapSpace.refuse());
        return (long) Objects.requireNonNull(found); // what the function has returned
    }

    private HeapObjects unclaimed() {
        return new OpenSession(object.lookup);
    }

    /** Waits for the other actor. */
    public void meet() {
        object.meet();
    }

    /** Reads all of the object, and then its front in steps; 0 if that was the object's. */
    public long read(Claim claim) {
        return claim.run(this, MovableInSession::readAll, _ -> readInSteps());
    }

    private static long readAll(HeapObjects session) {
        long[] all = new long[(int) (Movable.BYTES / Long.BYTES)];
        session.get(Movable.HANDLE, MemorySegment.ofArray(all));
        long found = session.getLong(Movable.HANDLE, 0);
        for (long each : all) {
            found |= each;
        }
        return found;
    }

    private long readInSteps() {
        long front = ObjectLayout.content(object.lookup.address(Movable.HANDLE));
        object.standStill(LOOKS_MAX);
        return RawAccess.get(front, Long.BYTES);
    }

    /** Copies the object, and after a grace period has its page be somebody else's. */
    public void moveAndReuse() {
        object.moveAndReuse(true);
    }

    /** Sets all numbers to 1 in steps, and then the last one to 2. */
    public void update(Claim claim) {
        long _ = claim.run(this, session -> session.getLong(Movable.HANDLE, 0), this::updateAll);
    }

    private long updateAll(HeapObjects session) {
        object.updateInSteps(1, LOOKS_MAX);
        session.setLong(Movable.HANDLE, LAST, 2);
        return 0;
    }

    /** Begins a cycle, and copies the object after a grace period. */
    public void evacuate() {
        object.evacuateAfterGracePeriod();
    }

    /** The first number. */
    public long first() {
        return object.value();
    }

    /** The last number. */
    public long last() {
        return object.valueAt(LAST);
    }

    /**
     * Uses the object again and again, if the gate is not closed yet.
     *
     * @return whether a close of the gate had returned before the last use was over
     */
    public boolean outlivesClose(Claim claim) {
        try {
            return claim.run(this, this::use, this::useLong) != 0;
        } catch (IllegalStateException refused) {
            return false;
        }
    }

    private long use(HeapObjects session) {
        long _ = session.getLong(Movable.HANDLE, 0);
        return closed ? 1 : 0;
    }

    private long useLong(HeapObjects session) {
        long found = 0;
        for (int i = 0; i < LOOKS_MAX && found == 0; i++) {
            Thread.onSpinWait();
            found = use(session);
        }
        return found;
    }

    /** Closes the access gate, as a heap does before it gives its pages back. */
    public void close() {
        object.access.close();
        closed = true;
    }

    /** Gives all pages back. */
    public void giveBack() {
        object.giveBack();
    }
}
