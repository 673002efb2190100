package io.polder.agent.library;

/**
 * Whether the running thread has stack left for what uses classes for the first time. One whose
 * initialiser is cut short by the end of the stack can never be used again, be it the agent's or
 * the JDK's.
 */
public final class StackRoom {
    /**
     * Interpreted calls that take more stack than finding the library. Measured on x64: half of
     * them were too few with a small stack, and a quarter with any. For rewriting a class it is
     * guessed.
     */
    private static final int LEVELS = 500;

    private StackRoom() {}

    /**
     * Checks it before anything is tried.
     *
     * @throws StackOverflowError if there is too little
     */
    public static void check() {
        int _ = descend(LEVELS);
    }

    private static int descend(int levels) {
        return levels == 0 ? 0 : 1 + descend(levels - 1);
    }
}
