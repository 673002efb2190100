package io.polder.leak;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Who did something, and where: a thread, and the frames of the user's code.
 *
 * @param thread its name
 * @param frames innermost first and not all of them: the first is of the program, not of Polder,
 *     nor of what the program allocates Polder's buffers through; empty where a stack was too near
 *     its end to be walked
 */
public record Trace(String thread, List<StackFrame> frames) {
    /** What a reader needs to recognise the place: guessed. Each costs about 100 ns. */
    static final int FRAMES_MAX = 12;

    private static final StackWalker WALKER = StackWalker.getInstance();

    /** Of the running thread. */
    public static Trace here() {
        return new Trace(name(Thread.currentThread()), walk());
    }

    /** Most virtual threads have no name. */
    private static String name(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "virtual thread #" + thread.threadId() : name;
    }

    /** The frames as text. */
    public List<String> lines() {
        return frames.stream().map(StackFrame::toString).toList();
    }

    /** A number for the innermost frame; of different places mostly different. */
    int site() {
        if (frames.isEmpty()) {
            return 0;
        }
        StackFrame frame = frames.getFirst();
        int hash = frame.getClassName().hashCode() * 31 + frame.getMethodName().hashCode();
        return hash * 31 + frame.getByteCodeIndex();
    }

    /** Empty where a stack is too near its end to be walked: what is opened matters more. */
    private static List<StackFrame> walk() {
        try {
            return WALKER.walk(Trace::users);
        } catch (StackOverflowError | InternalError end) { // the JDK wraps the one in the other
            return List.of();
        }
    }

    /** A loop, since a stream of them costs several times as much. */
    private static List<StackFrame> users(Stream<StackFrame> all) {
        List<StackFrame> users = new ArrayList<>(FRAMES_MAX);
        Iterator<StackFrame> frames = all.iterator();
        while (frames.hasNext() && users.size() < FRAMES_MAX) {
            StackFrame frame = frames.next();
            if (!users.isEmpty() || !isBetween(frame.getClassName())) {
                users.add(frame);
            }
        }
        return users;
    }

    /** Whether a class is one of those between a program and its memory. */
    static boolean isBetween(String name) {
        return name.startsWith("io.polder.leak.")
                || name.startsWith("io.polder.arena.")
                || name.startsWith("io.polder.block.")
                || name.startsWith("io.polder.cache.")
                || name.startsWith("io.polder.agent.census.") // counts what it has opened
                || name.startsWith("io.polder.arrow.")
                || name.startsWith("io.polder.netty.")
                || name.startsWith("io.polder.page.")
                || name.equals("io.polder.BlockAllocator")
                || name.equals("io.polder.CommonPool")
                || name.equals("io.polder.MemoryPool")
                || name.equals("io.polder.OpenHeaps")
                || name.equals("io.polder.PoolMemory")
                || name.startsWith("java.lang.foreign.Polder") // the agent's, beside Arena
                || name.startsWith("io.netty.buffer.")
                || name.startsWith("org.apache.arrow.memory.");
    }
}
