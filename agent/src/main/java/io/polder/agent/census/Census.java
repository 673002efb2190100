package io.polder.agent.census;

import io.polder.agent.rewrite.CallSites;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;

/**
 * Counts the arenas of a program: how many bytes they hold, in how many allocations, how long they
 * live, and where they are opened.
 *
 * <p>One at a time; call sites keep their numbers from one to the next. Thread-safe.
 */
public final class Census {
    private static final MethodType COUNTED = MethodType.methodType(Arena.class, int.class);

    private final SiteTable sites;
    private final CurrentRun current = new CurrentRun();

    /** Ways to open arenas that may change, and are constants to compilers until they do. */
    private @Nullable MutableCallSite confined;

    private @Nullable MutableCallSite shared;

    /**
     * Counts nothing yet, and loads little.
     *
     * @param sitesMax how many call sites are told apart
     */
    public Census(int sitesMax) {
        this.sites = new SiteTable(sitesMax);
    }

    /**
     * From now on arenas are opened in this way.
     *
     * @param byConfined opens a confined arena
     * @param byShared opens a shared arena
     */
    public synchronized void openBy(MethodHandle byConfined, MethodHandle byShared) {
        if (confined == null || shared == null) {
            confined = new MutableCallSite(byConfined);
            shared = new MutableCallSite(byShared);
        } else {
            confined.setTarget(byConfined);
            shared.setTarget(byShared);
            MutableCallSite.syncAll(new MutableCallSite[] {confined, shared});
        }
    }

    /** Opens a confined arena, by the number of its call site. After {@link #openBy}. */
    public MethodHandle confined() {
        return bound("openConfined");
    }

    /** Opens a shared arena, by the number of its call site. After {@link #openBy}. */
    public MethodHandle shared() {
        return bound("openShared");
    }

    private synchronized MethodHandle bound(String name) {
        if (confined == null || shared == null) {
            throw new IllegalStateException("the census must know how arenas are opened");
        }
        Counting counting =
                new Counting(confined.dynamicInvoker(), shared.dynamicInvoker(), current);
        try {
            return MethodHandles.lookup().bind(counting, name, COUNTED);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(name, e);
        }
    }

    /** How many call sites are told apart. */
    public int sitesMax() {
        return sites.max();
    }

    /** Numbers call sites. */
    public CallSites sites() {
        return sites;
    }

    /** Whether arenas are counted now. */
    public boolean runs() {
        return current.get() != null;
    }

    /** Counts from now on, from nothing. */
    public void start() {
        current.set(new Run());
    }

    /** What was counted so far; null if nothing is. */
    public @Nullable CensusResult result() {
        Run run = current.get();
        return run == null ? null : CensusResult.of(run.sum(), sites, run.millis());
    }

    /** Counts no more; returns what was counted, null if nothing was. */
    public @Nullable CensusResult end() {
        try {
            return result();
        } finally {
            stop();
        }
    }

    /** Counts no more. */
    public void stop() {
        current.set(null);
    }
}
