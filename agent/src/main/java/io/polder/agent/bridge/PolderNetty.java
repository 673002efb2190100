package io.polder.agent.bridge;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandle;
import java.util.function.Function;

/**
 * What Netty calls with the allocator that it has chosen as its default.
 *
 * <pre>
 *   ByteBufUtil, any loader                        java.base                     agent
 *
 *   invokestatic allocator(Object)Object ---&gt; PolderNetty.allocator(chosen) ---&gt; NettyDefault
 *   checkcast ByteBufAllocator
 *   putstatic DEFAULT_ALLOCATOR
 * </pre>
 *
 * <p>As with {@link PolderArenas}, a copy of it is defined in a package that every class finds.
 * Called once for each Netty there is.
 */
public final class PolderNetty {
    /** The name of the handle, as {@link #source} knows it; from an object to an object. */
    public static final String ALLOCATOR = "netty allocator";

    /** Gives the handle. Set once by the agent, before anything is rewritten. */
    static volatile @Nullable Function<String, MethodHandle> source;

    private PolderNetty() {}

    /** The allocator to be used instead of {@code chosen}, which it is if there is none. */
    public static Object allocator(Object chosen) {
        Function<String, MethodHandle> from = source;
        if (from == null) {
            return chosen;
        }
        try {
            return (Object) from.apply(ALLOCATOR).invokeExact(chosen);
        } catch (Throwable failure) {
            return chosen; // Netty's class is being initialised: what is thrown here breaks it
        }
    }
}
