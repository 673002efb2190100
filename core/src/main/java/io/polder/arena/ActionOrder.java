package io.polder.arena;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The first action of a confined lifetime, which does nothing.
 *
 * <p>A confined lifetime of the JDK's runs its first action before all others, and the others from
 * the last on. In an arena of the JDK's that has allocated, the first action frees that memory, so
 * programs see their last action run first. Our memory comes from elsewhere, so this action, which
 * does nothing, is the first.
 */
public record ActionOrder() implements Consumer<MemorySegment> {
    /**
     * Has the actions that are registered from now on run the last one first.
     *
     * @param lifetime a confined one of the running thread, open and without any action
     */
    @SuppressWarnings("restricted") // the only way to register an action
    public static void begin(Arena lifetime) {
        MemorySegment _ = MemorySegment.NULL.reinterpret(0, lifetime, new ActionOrder());
    }

    @Override
    public void accept(MemorySegment nothing) {}
}
