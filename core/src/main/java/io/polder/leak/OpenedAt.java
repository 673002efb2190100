package io.polder.leak;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** Where something is opened: the frames of the user's code, innermost first, not all of them. */
final class OpenedAt {
    /** What a reader needs to recognise the place: guessed. Each costs about 100 ns. */
    static final int FRAMES_MAX = 12;

    private static final StackWalker WALKER = StackWalker.getInstance();

    private OpenedAt() {}

    /** Empty where a stack is too near its end to be walked: what is opened matters more. */
    static List<StackFrame> frames() {
        try {
            return WALKER.walk(OpenedAt::users);
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
            if (!users.isEmpty() || !isPolders(frame.getClassName())) {
                users.add(frame);
            }
        }
        return users;
    }

    private static boolean isPolders(String name) {
        return name.startsWith("io.polder.leak.")
                || name.startsWith("io.polder.arena.")
                || name.startsWith("io.polder.block.")
                || name.startsWith("io.polder.agent.census.") // counts what it has opened
                || name.startsWith("io.polder.page.")
                || name.equals("io.polder.BlockAllocator")
                || name.equals("io.polder.CommonPool")
                || name.equals("io.polder.MemoryPool")
                || name.equals("io.polder.OpenHeaps")
                || name.equals("java.lang.foreign.PolderArenas") // the agent's, beside Arena
                || name.equals("io.polder.PoolMemory");
    }
}
