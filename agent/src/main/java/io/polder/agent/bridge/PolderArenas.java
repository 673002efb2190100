package io.polder.agent.bridge;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.Function;

/**
 * What rewritten code calls in place of {@link Arena#ofConfined} and {@link Arena#ofShared}.
 *
 * <pre>
 *   application class, any loader          java.base                      agent, library
 *
 *   invokestatic ofConfined() ---&gt; PolderArenas.ofConfined()
 *                                    Pooled.CONFINED.invokeExact() ---&gt; MemoryPool.ofConfined()
 *   invokestatic ofConfined(7) --&gt; PolderArenas.ofConfined(7)
 *                                    Counted.CONFINED.invokeExact(7) --&gt; Census.openConfined(7)
 * </pre>
 *
 * <p>This class is never used under its own name. {@code BridgeClasses} defines a copy of it in the
 * package of {@link Arena}: the one package that every class that names {@link Arena} is sure to
 * find, whatever its loader hides and whatever its module reads.
 *
 * <p>Handles are in final fields of nested classes, so that compilers take them for constants and
 * inline what is behind them, and so that nothing behind them is loaded before the first call. They
 * are null for the thread that is about to set them: what it opens meanwhile, as a logger might
 * that the library uses when it is initialised, is the JDK's.
 *
 * <p>They stay null if they cannot be had, if only because the stack ends just there: what was
 * thrown would be thrown by each call from then on.
 */
public final class PolderArenas {
    /** Names of handles, as {@link #source} knows them. */
    public static final String POOLED_CONFINED = "pooled confined";

    /** See {@link #POOLED_CONFINED}. */
    public static final String POOLED_SHARED = "pooled shared";

    /** See {@link #POOLED_CONFINED}; the handle takes the number of the call site. */
    public static final String COUNTED_CONFINED = "counted confined";

    /** See {@link #COUNTED_CONFINED}. */
    public static final String COUNTED_SHARED = "counted shared";

    /** Gives handles by name. Set once by the agent, before anything is rewritten. */
    static volatile @Nullable Function<String, MethodHandle> source;

    private PolderArenas() {}

    /** Opens a confined arena on the pool. */
    public static Arena ofConfined() {
        MethodHandle open = Pooled.CONFINED;
        try {
            return open == null ? Arena.ofConfined() : (Arena) open.invokeExact();
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    /** Opens a shared arena on the pool. */
    public static Arena ofShared() {
        MethodHandle open = Pooled.SHARED;
        try {
            return open == null ? Arena.ofShared() : (Arena) open.invokeExact();
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    /** Opens a confined arena that is counted for a call site. */
    public static Arena ofConfined(int site) {
        MethodHandle open = Counted.CONFINED;
        try {
            return open == null ? Arena.ofConfined() : (Arena) open.invokeExact(site);
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    /** Opens a shared arena that is counted for a call site. */
    public static Arena ofShared(int site) {
        MethodHandle open = Counted.SHARED;
        try {
            return open == null ? Arena.ofShared() : (Arena) open.invokeExact(site);
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    /** What is behind the handles declares no exception. */
    private static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception
                ? exception
                : new UndeclaredThrowableException(failure);
    }

    private static @Nullable MethodHandle handle(String name) {
        Function<String, MethodHandle> from = source;
        if (from == null) {
            throw new IllegalStateException("the agent must be connected first");
        }
        try {
            return from.apply(name);
        } catch (Throwable failure) {
            return null;
        }
    }

    /** The pool. */
    static final class Pooled {
        static final @Nullable MethodHandle CONFINED = handle(POOLED_CONFINED);
        static final @Nullable MethodHandle SHARED = handle(POOLED_SHARED);

        private Pooled() {}
    }

    /** The census. */
    static final class Counted {
        static final @Nullable MethodHandle CONFINED = handle(COUNTED_CONFINED);
        static final @Nullable MethodHandle SHARED = handle(COUNTED_SHARED);

        private Counted() {}
    }
}
