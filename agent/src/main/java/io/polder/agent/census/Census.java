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
    private static final MethodType OPENING = MethodType.methodType(Arena.class);
    private static final MethodType COUNTED = MethodType.methodType(Arena.class, int.class);

    private final SiteTable sites;
    private final CurrentRun current = new CurrentRun();
    private final MutableCallSite confined = new MutableCallSite(OPENING);
    private final MutableCallSite shared = new MutableCallSite(OPENING);
    private final Counting counting =
            new Counting(confined.dynamicInvoker(), shared.dynamicInvoker(), current);

    /**
     * Counts nothing yet.
     *
     * @param sitesMax how many call sites are told apart
     * @param confined opens a confined arena
     * @param shared opens a shared arena
     */
    public Census(int sitesMax, MethodHandle confined, MethodHandle shared) {
        this.sites = new SiteTable(sitesMax);
        openBy(confined, shared);
    }

    /** From now on arenas are opened in this way. */
    public void openBy(MethodHandle confined, MethodHandle shared) {
        this.confined.setTarget(confined);
        this.shared.setTarget(shared);
        MutableCallSite.syncAll(new MutableCallSite[] {this.confined, this.shared});
    }

    /** Opens a confined arena, by the number of its call site. */
    public MethodHandle confined() {
        return bound("openConfined");
    }

    /** Opens a shared arena, by the number of its call site. */
    public MethodHandle shared() {
        return bound("openShared");
    }

    private MethodHandle bound(String name) {
        try {
            return MethodHandles.lookup().bind(counting, name, COUNTED);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(name, e);
        }
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
        return run == null ? null : CensusResult.of(run.sum(), sites, run.seconds());
    }

    /** Counts no more. */
    public void stop() {
        current.set(null);
    }
}
