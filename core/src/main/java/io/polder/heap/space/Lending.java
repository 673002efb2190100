package io.polder.heap.space;

import io.polder.gate.Gate.LongOperation;
import io.polder.gate.Gate.Operation;
import io.polder.heap.HeapObjects;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Gives objects to functions of the program, in a critical section of the access gate: one of them
 * as a segment, or all by an {@link OpenSession}.
 *
 * <p>A session is over when its function has returned or thrown, and a segment dies with the
 * function that got it. Where its lifetime cannot be closed, {@link Loans} keep its region; the
 * critical section ends nevertheless.
 *
 * <p>Thread-safe.
 */
record Lending(ObjectLookup lookup, Loans loans) {
    // What is done inside. Constants, so that nothing is allocated for a use.

    /** Lends an object to read. */
    static final Operation<
                    Lending,
                    Function<? super MemorySegment, ? extends @Nullable Object>,
                    @Nullable Object>
            READ =
                    (lending, handle, reader) ->
                            lending.lend(lending.lookup.address(handle), reader, null, null);

    /** Lends an object to change, for a result. */
    static final Operation<
                    Lending,
                    Function<? super MemorySegment, ? extends @Nullable Object>,
                    @Nullable Object>
            COMPUTE = (lending, handle, writer) -> lending.changeInside(handle, null, writer);

    /** Lends an object to change. */
    static final LongOperation<Lending, Consumer<? super MemorySegment>> UPDATE =
            (lending, handle, _, _, _, writer) -> {
                Object _ = lending.changeInside(handle, writer, null);
                return 0;
            };

    /** Runs a function in a session. */
    static final Operation<
                    Lending,
                    Function<? super HeapObjects, ? extends @Nullable Object>,
                    @Nullable Object>
            SESSION =
                    (lending, _, function) -> {
                        OpenSession session = new OpenSession(lending.lookup);
                        try {
                            return function.apply(session);
                        } finally {
                            session.over = true; // in place: there may be no stack for a call
                        }
                    };

    /** Lends an object to one of two functions. */
    private @Nullable Object changeInside(
            long handle,
            @Nullable Consumer<? super MemorySegment> writer,
            @Nullable Function<? super MemorySegment, ? extends @Nullable Object> computer) {
        return lookup.evacuation().underWay
                ? lendInCycle(handle, writer, computer)
                : lend(lookup.address(handle), null, writer, computer);
    }

    /** Lends an object, which stays where it is meanwhile. */
    private @Nullable Object lendInCycle(
            long handle,
            @Nullable Consumer<? super MemorySegment> writer,
            @Nullable Function<? super MemorySegment, ? extends @Nullable Object> computer) {
        PinCounts counted = lookup.evacuation().pins;
        long word = lookup.resolveForUpdate(handle, counted);
        try {
            return lend(HandleWordLayout.address(word), null, writer, computer);
        } finally {
            ObjectLookup.updateEnded(handle, word, counted);
        }
    }

    /**
     * Lends the object at an address to one of three functions, the first of which only reads. Each
     * has a call site of its own: so the compiler sees which functions a program has there, and
     * allocates no segment for them.
     */
    private @Nullable Object lend(
            long address,
            @Nullable Function<? super MemorySegment, ? extends @Nullable Object> reader,
            @Nullable Consumer<? super MemorySegment> writer,
            @Nullable Function<? super MemorySegment, ? extends @Nullable Object> computer) {
        Arena lifetime = Arena.ofConfined();
        try (lifetime) {
            MemorySegment view = ObjectLayout.view(address, lifetime);
            if (reader != null) {
                return reader.apply(view.asReadOnly());
            }
            if (computer != null) {
                return computer.apply(view);
            }
            if (writer != null) {
                writer.accept(view);
            }
            return null;
        } catch (Throwable thrown) {
            boolean ended = false;
            try {
                ended = !lifetime.scope().isAlive();
            } catch (Throwable _) { // there was no stack to ask: Loans will
            }
            if (!ended) {
                synchronized (loans) { // in place, like the end of the critical section
                    int at = loans.count;
                    if (at == loans.lifetimes.length) {
                        try {
                            loans.makeRoomLocked();
                        } catch (Throwable _) {
                            loans.unknown = true;
                        }
                    }
                    if (at < loans.lifetimes.length) {
                        loans.addresses[at] = address;
                        loans.lifetimes[at] = lifetime;
                        loans.count = at + 1;
                    }
                }
            }
            throw thrown;
        }
    }
}
