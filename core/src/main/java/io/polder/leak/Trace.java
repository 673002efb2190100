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

    /** A number for the place; of different places mostly different. */
    int site() {
        return site(frames);
    }

    /** A number for the innermost frame. */
    static int site(List<StackFrame> frames) {
        if (frames.isEmpty()) {
            return 0;
        }
        StackFrame frame = frames.getFirst();
        int hash = frame.getClassName().hashCode() * 31 + frame.getMethodName().hashCode();
        return hash * 31 + frame.getByteCodeIndex();
    }
}
