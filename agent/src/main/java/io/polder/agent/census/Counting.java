package io.polder.agent.census;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;

/**
 * Opens arenas and counts them while a census runs. A record, because compilers trust the fields of
 * records, and so inline what the handles open.
 *
 * @param confined opens a confined arena
 * @param shared opens a shared arena
 * @param current the census that runs
 */
record Counting(MethodHandle confined, MethodHandle shared, CurrentRun current) {
    /** Opens a confined arena for the call site of this number. */
    Arena openConfined(int site) throws Throwable {
        Arena arena = (Arena) confined.invokeExact();
        try {
            Run run = current.get();
            return run == null ? arena : new CountedArena(arena, run.row(site));
        } catch (Throwable failure) {
            arena.close(); // which nobody knows
            throw failure;
        }
    }

    /** Opens a shared arena for the call site of this number. */
    Arena openShared(int site) throws Throwable {
        Arena arena = (Arena) shared.invokeExact();
        Run run = current.get();
        return run == null ? arena : new CountedSharedArena(arena, run, site);
    }
}
