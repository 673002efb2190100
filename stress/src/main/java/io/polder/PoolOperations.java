package io.polder;

import io.polder.Holdings.ArenaKind;
import io.polder.Holdings.Before;
import io.polder.PoolScenario.Operation;
import io.polder.stress.everywhere.Plan;
import io.polder.stress.everywhere.ThrowEverywhere;

import java.util.function.Function;

/** The operations of pools, and of all that pools have: part of {@code throw-everywhere}. */
public final class PoolOperations {
    private static final long COMMITTED_MAX = 64 * PoolUnderTest.MIB;

    private final ThrowEverywhere everywhere;

    private PoolOperations(ThrowEverywhere everywhere) {
        this.everywhere = everywhere;
    }

    /** Tries those that the arguments name; exit code 1 if something is wrong. */
    public static void main(String[] arguments) {
        ThrowEverywhere everywhere = new ThrowEverywhere(Plan.parse(arguments));
        tryAll(everywhere);
        tryWatched(everywhere);
        System.exit(everywhere.report() ? 0 : 1);
    }

    /** Tries all of them. */
    public static void tryAll(ThrowEverywhere everywhere) {
        new PoolOperations(everywhere).tryPools();
        for (Before before : Before.values()) {
            new ArenaOperations(everywhere, LeakDetection.OFF, before).tryAll();
            new PageOperations(everywhere, LeakDetection.OFF, before).tryAll();
            new BlockOperations(everywhere, before).tryAll();
        }
        new HeapOperations(everywhere, LeakDetection.OFF, "").tryAll();
        new CacheOperations(everywhere).tryAll();
    }

    /** Tries those that leak detection has a part in, with leak detection. */
    public static void tryWatched(ThrowEverywhere everywhere) {
        new ArenaOperations(everywhere, LeakDetection.ALL, Before.FRESH).tryAll();
        new PageOperations(everywhere, LeakDetection.ALL, Before.FRESH).tryWatched();
        new HeapOperations(everywhere, LeakDetection.ALL, "watched.").tryWatched();
    }

    private void check(String name, Function<Holdings, Operation> setUp) {
        everywhere.check(
                name,
                () -> new PoolScenario(new PoolUnderTest(COMMITTED_MAX, LeakDetection.OFF), setUp));
    }

    private void tryPools() {
        check(
                "pool.build-close",
                _ ->
                        () -> {
                            try (MemoryPool pool = MemoryPool.builder().name("built").build()) {
                                pool.openConfined().close();
                            }
                        });
        check("pool.close", held -> held.pool::close);
        check("pool.pages", held -> held.pool::pages);
        check("pool.trim", held -> used(held, held.pool::trim));
        check("pool.stats", held -> used(held, held.pool::stats));
        check("pool.report", held -> used(held, held.pool::report));
        check("pool.map", held -> used(held, held.pool::map));
        check("pool.tick", held -> used(held, held.under::tick));
        check("pool.tick-closing", held -> used(held, held.under::tickClosing));
        check(
                "pool.tick-closed",
                held -> {
                    held.pool.close();
                    return held.under::tick;
                });
    }

    /** Leaves something to be trimmed, and to be closed. */
    private static Operation used(Holdings held, Operation operation) {
        for (ArenaKind kind : ArenaKind.values()) {
            HeldArena arena = held.open(kind);
            arena.allocate(100);
            arena.allocate(100_000);
            arena.closeInSetUp();
        }
        held.take(1).give();
        return operation;
    }
}
