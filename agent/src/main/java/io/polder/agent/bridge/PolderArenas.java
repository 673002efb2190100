package io.polder.agent.bridge;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.Function;

/**
 * What rewritten code calls in place of {@link Arena#ofConfined} and {@link Arena#ofShared}.
 *
 * <pre>
 *   application class, any loader          java.base                      agent, library
 *
 *   invokestatic ofConfined() ---&gt; PolderArenas.ofConfined()
 *                                    target of CONFINED ------------&gt; MemoryPool.ofConfined()
 *   invokestatic ofConfined(7) --&gt; PolderArenas.ofConfined(7)
 *                                    target of CONFINED_AT ---------&gt; Census.openConfined(7)
 * </pre>
 *
 * <p>This class is never used under its own name. {@code BridgeClasses} defines a copy of it in the
 * package of {@link Arena}: the one package that every class that names {@link Arena} is sure to
 * find, whatever its loader hides and whatever its module reads.
 *
 * <p>Handles are the targets of call sites in final fields, so that compilers take them for
 * constants and inline what is behind them. The first target of each is what asks for its handle,
 * so that nothing behind it is loaded before the first call.
 *
 * <p>It stays as long as the handle cannot be had, if only because the stack ends just there: the
 * arena is then the JDK's, and the next call asks again. So are arenas that a thread opens while it
 * waits for the handle itself, as a logger might that the library uses when it is initialised.
 * Threads that do not see yet what another has set ask as well, and set the same.
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

    private static final MutableCallSite CONFINED = asking("askConfined");
    private static final MutableCallSite SHARED = asking("askShared");
    private static final MutableCallSite CONFINED_AT = asking("askConfined", int.class);
    private static final MutableCallSite SHARED_AT = asking("askShared", int.class);

    /** Gives handles by name. Set once by the agent, before anything is rewritten. */
    static volatile @Nullable Function<String, MethodHandle> source;

    private PolderArenas() {}

    /** Opens a confined arena on the pool. */
    public static Arena ofConfined() {
        try {
            return (Arena) CONFINED.getTarget().invokeExact();
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    /** Opens a shared arena on the pool. */
    public static Arena ofShared() {
        try {
            return (Arena) SHARED.getTarget().invokeExact();
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    /** Opens a confined arena that is counted for a call site. */
    public static Arena ofConfined(int site) {
        try {
            return (Arena) CONFINED_AT.getTarget().invokeExact(site);
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    /** Opens a shared arena that is counted for a call site. */
    public static Arena ofShared(int site) {
        try {
            return (Arena) SHARED_AT.getTarget().invokeExact(site);
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

    /** The first targets of the call sites. */
    static Arena askConfined() throws Throwable {
        return isFound(POOLED_CONFINED, CONFINED)
                ? (Arena) CONFINED.getTarget().invokeExact()
                : Arena.ofConfined();
    }

    static Arena askShared() throws Throwable {
        return isFound(POOLED_SHARED, SHARED)
                ? (Arena) SHARED.getTarget().invokeExact()
                : Arena.ofShared();
    }

    static Arena askConfined(int site) throws Throwable {
        return isFound(COUNTED_CONFINED, CONFINED_AT)
                ? (Arena) CONFINED_AT.getTarget().invokeExact(site)
                : Arena.ofConfined();
    }

    static Arena askShared(int site) throws Throwable {
        return isFound(COUNTED_SHARED, SHARED_AT)
                ? (Arena) SHARED_AT.getTarget().invokeExact(site)
                : Arena.ofShared();
    }

    /** Whether the handle can be had; it is the target from then on. */
    private static boolean isFound(String name, MutableCallSite site) {
        Function<String, MethodHandle> from = source;
        if (from == null) {
            throw new IllegalStateException("the agent must be connected first");
        }
        try {
            site.setTarget(from.apply(name));
            return true;
        } catch (Throwable failure) {
            return false;
        }
    }

    private static MutableCallSite asking(String method, Class<?>... parameters) {
        MethodType type = MethodType.methodType(Arena.class, parameters);
        try {
            return new MutableCallSite(
                    MethodHandles.lookup().findStatic(PolderArenas.class, method, type));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a method of this class must be found", e);
        }
    }
}
