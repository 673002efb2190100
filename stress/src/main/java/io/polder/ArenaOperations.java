package io.polder;

import io.polder.Holdings.ArenaKind;
import io.polder.Holdings.Before;
import io.polder.PoolScenario.Operation;
import io.polder.stress.everywhere.ThrowEverywhere;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.function.Function;

/** The operations of arenas, of all kinds. */
final class ArenaOperations {
    private static final long COMMITTED_MAX = 64 * PoolUnderTest.MIB;

    private static final long IN_SLAB = 100;
    private static final long BEYOND_SLAB = 20_000;
    private static final long LARGE = 600_000;
    private static final long IN_PAGES = 5 * PoolUnderTest.MIB;

    private final ThrowEverywhere everywhere;
    private final LeakDetection leaks;
    private final Before before;
    private final String prefix;

    ArenaOperations(ThrowEverywhere everywhere, LeakDetection leaks, Before before) {
        this.everywhere = everywhere;
        this.leaks = leaks;
        this.before = before;
        this.prefix = before.prefix + (leaks == LeakDetection.OFF ? "" : "watched.");
    }

    void tryAll() {
        for (ArenaKind kind : ArenaKind.values()) {
            tryAll(kind);
        }
        tryNested();
        tryFreeing();
    }

    private void check(String name, Function<Holdings, Operation> setUp) {
        everywhere.check(
                prefix + name,
                () ->
                        new PoolScenario(
                                new PoolUnderTest(COMMITTED_MAX, leaks), before.then(setUp)));
    }

    private void tryAll(ArenaKind kind) {
        String name = kind.name().toLowerCase(Locale.ROOT);
        check(name + ".open", held -> () -> held.open(kind));
        check(name + ".open-kept", held -> openKept(held, kind));
        allocating(name + ".allocate-first", kind, 0, IN_SLAB);
        allocating(name + ".allocate-next", kind, IN_SLAB, IN_SLAB);
        allocating(name + ".allocate-chunk", kind, IN_SLAB, BEYOND_SLAB);
        allocating(name + ".allocate-large", kind, BEYOND_SLAB, LARGE);
        allocating(name + ".allocate-pages", kind, IN_SLAB, IN_PAGES);
        check(name + ".allocate-kept", held -> allocateKept(held, kind));
        check(name + ".overwrite-kept", held -> overwriteKept(held, kind));
        closing(name + ".close-empty", kind);
        closing(name + ".close-slab", kind, IN_SLAB);
        closing(name + ".close-chunks", kind, IN_SLAB, BEYOND_SLAB, LARGE);
        closing(name + ".close-pages", kind, IN_SLAB, IN_PAGES);
        check(name + ".close-action", held -> closeWithAction(held.open(kind)));
        check(
                name + ".life",
                held ->
                        () -> {
                            HeldArena arena = held.open(kind);
                            arena.allocate(IN_SLAB);
                            arena.allocate(BEYOND_SLAB);
                            arena.close();
                        });
    }

    @SuppressWarnings("restricted") // the segment is one of the arena
    private static Operation closeWithAction(HeldArena arena) {
        MemorySegment segment = arena.allocate(BEYOND_SLAB);
        MemorySegment _ = segment.reinterpret(arena.arena(), _ -> {});
        return arena::close;
    }

    /** Opens an arena that begins with what another one had, and closes it. */
    private static Operation openKept(Holdings held, ArenaKind kind) {
        HeldArena before = held.open(kind);
        before.allocate(IN_SLAB);
        before.closeInSetUp();
        return () -> {
            HeldArena arena = held.open(kind);
            arena.allocate(IN_SLAB);
            arena.close();
        };
    }

    /** Opens an arena in a thread that finds out by this that its slabs were taken from it. */
    private static Operation openRevoked(Holdings held) {
        Operation opening = openKept(held, ArenaKind.CONFINED);
        try {
            held.take(COMMITTED_MAX);
        } catch (OutOfMemoryError expected) {
            return opening; // all that threads keep was revoked
        }
        throw new AssertionError("bystanders have a part of what the limit allows");
    }

    /** Allocates what another arena had, and finds its chunks at hand, or again in the space. */
    private static Operation allocateKept(Holdings held, ArenaKind kind) {
        HeldArena arena = openAfterAnother(held, kind);
        return () -> {
            arena.allocate(BEYOND_SLAB);
            arena.allocate(LARGE);
        };
    }

    /** Does the same where only a part of that needs to be cleared. */
    private static Operation overwriteKept(Holdings held, ArenaKind kind) {
        byte[] little = new byte[(int) IN_SLAB * 20];
        byte[] few = new byte[(int) BEYOND_SLAB];
        byte[] many = new byte[(int) LARGE];
        HeldArena arena = openAfterAnother(held, kind);
        return () -> {
            arena.allocateFrom(little);
            arena.allocate(BEYOND_SLAB);
            arena.allocateFrom(few);
            arena.allocate(IN_SLAB);
            arena.allocateFrom(many);
            arena.allocate(BEYOND_SLAB);
        };
    }

    private static HeldArena openAfterAnother(Holdings held, ArenaKind kind) {
        HeldArena before = held.open(kind);
        before.allocate(BEYOND_SLAB);
        before.allocate(LARGE);
        before.closeInSetUp();
        return held.open(kind);
    }

    private void allocating(String name, ArenaKind kind, long before, long bytes) {
        check(
                name,
                held -> {
                    HeldArena arena = held.open(kind);
                    if (before > 0) {
                        arena.allocate(before);
                    }
                    return () -> arena.allocate(bytes);
                });
    }

    private void closing(String name, ArenaKind kind, long... sizes) {
        check(
                name,
                held -> {
                    HeldArena arena = held.open(kind);
                    for (long bytes : sizes) {
                        arena.allocate(bytes);
                    }
                    return arena::close;
                });
    }

    /** More arenas at a time than slabs are kept, closed in an order of their own. */
    private void tryNested() {
        check(
                "confined.nested",
                held ->
                        () -> {
                            HeldArena outer = held.open(ArenaKind.CONFINED);
                            outer.allocate(IN_SLAB);
                            HeldArena inner = held.open(ArenaKind.CONFINED);
                            inner.allocate(IN_SLAB);
                            outer.allocate(BEYOND_SLAB);
                            outer.close();
                            inner.allocate(IN_SLAB);
                            inner.close();
                        });
        check(
                "confined.many",
                held -> {
                    HeldArena[] arenas = new HeldArena[10];
                    return () -> {
                        for (int i = 0; i < arenas.length; i++) {
                            arenas[i] = held.open(ArenaKind.CONFINED);
                            arenas[i].allocate(IN_SLAB);
                        }
                        for (HeldArena arena : arenas) {
                            arena.close();
                        }
                    };
                });
        check("confined.open-revoked", ArenaOperations::openRevoked);
        check(
                "confined.makes-room",
                held -> {
                    HeldPage page = held.take(COMMITTED_MAX - 4 * PoolUnderTest.MIB);
                    page.give();
                    HeldArena arena = held.open(ArenaKind.CONFINED);
                    return () -> arena.allocate(4 * PoolUnderTest.MIB);
                });
    }

    private void tryFreeing() {
        check("freeing.open", held -> held::openFreeing);
        check(
                "freeing.allocate",
                held -> {
                    HeldArena arena = held.openFreeing();
                    return () -> arena.allocate(IN_SLAB);
                });
        check(
                "freeing.free",
                held -> {
                    HeldArena arena = held.openFreeing();
                    for (int i = 0; i < 3; i++) {
                        arena.allocate(IN_SLAB + 16L * i);
                    }
                    return arena::freeLast;
                });
        check(
                "freeing.reuse",
                held -> {
                    HeldArena arena = held.openFreeing();
                    for (int i = 0; i < 6; i++) {
                        arena.allocate(IN_SLAB << i);
                    }
                    arena.freeLast();
                    arena.freeLast();
                    return () -> {
                        arena.allocate(IN_SLAB);
                        arena.allocate(2 * IN_SLAB);
                    };
                });
        check(
                "freeing.close",
                held -> {
                    HeldArena arena = held.openFreeing();
                    arena.allocate(IN_SLAB);
                    arena.allocate(BEYOND_SLAB);
                    arena.freeLast();
                    return arena::close;
                });
    }
}
