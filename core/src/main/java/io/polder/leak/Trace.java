package io.polder.leak;

import java.lang.StackWalker.StackFrame;
import java.util.List;

/**
 * Who did something, and where: a thread, and the frames of the user's code.
 *
 * @param thread its name
 * @param frames innermost first, without Polder's own and not all of them; empty where a stack was
 *     too near its end to be walked
 */
public record Trace(String thread, List<StackFrame> frames) {
    /** Of the running thread. */
    public static Trace here() {
        return new Trace(name(Thread.currentThread()), OpenedAt.frames());
    }

    /** Most virtual threads have no name. */
    static String name(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "virtual thread #" + thread.threadId() : name;
    }

    /** The frames as text. */
    public List<String> lines() {
        return frames.stream().map(StackFrame::toString).toList();
    }
}
