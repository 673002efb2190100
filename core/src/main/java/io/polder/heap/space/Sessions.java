package io.polder.heap.space;

import io.polder.gate.Gate;
import io.polder.gate.Gate.Operation;
import io.polder.heap.HeapSession;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs functions of the program in a critical section of the access gate, each with an {@link
 * OpenSession}, which is over when the function has returned or thrown.
 *
 * <p>Thread-safe.
 */
final class Sessions {
    private static final Operation<
                    Sessions,
                    Function<? super HeapSession, ? extends @Nullable Object>,
                    @Nullable Object>
            RUN = (sessions, _, function) -> sessions.runInside(function);

    private static final Supplier<Object> NO_RESULT = HeapSpace::refuse;

    private final Gate access;
    private final Contents contents;

    Sessions(Gate access, Contents contents) {
        this.access = access;
        this.contents = contents;
    }

    /** Runs a function in a session. */
    @SuppressWarnings({"unchecked", "NullAway"}) // RUN returns what the function has returned
    <R extends @Nullable Object> R run(Function<? super HeapSession, ? extends R> function) {
        Objects.requireNonNull(function, "function");
        return (R) access.inside(RUN, this, 0, function, NO_RESULT);
    }

    private <R extends @Nullable Object> R runInside(
            Function<? super HeapSession, ? extends R> function) {
        OpenSession session = new OpenSession(contents);
        try {
            return function.apply(session);
        } finally {
            session.over = true; // in place: there may be no stack for a call
        }
    }
}
