package io.polder.gate;

import java.util.ArrayDeque;
import java.util.Deque;

/** The scopes of a gate that each thread is in, for tests that begin and end them one by one. */
public final class Scopes {
    private final Gate gate;
    private final ThreadLocal<Deque<Long>> open = ThreadLocal.withInitial(ArrayDeque::new);

    public Scopes(Gate gate) {
        this.gate = gate;
    }

    /** Begins a scope; false if the gate is closed. */
    public boolean tryEnter() {
        long section = gate.accessor().begin();
        if (section != 0) {
            open.get().push(section);
        }
        return section != 0;
    }

    /** The same where the gate is open, or the thread inside. */
    public void enter() {
        if (!tryEnter()) {
            throw new AssertionError("the gate is closed");
        }
    }

    /** Ends the scope that was begun last. */
    public void leave() {
        gate.accessor().end(open.get().pop());
    }
}
