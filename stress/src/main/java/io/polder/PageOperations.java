package io.polder;

import io.polder.Holdings.ArenaKind;
import io.polder.Holdings.Before;
import io.polder.PoolScenario.Operation;
import io.polder.page.PageCache;
import io.polder.stress.everywhere.ThrowEverywhere;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The operations of pages. */
final class PageOperations {
    private static final long GRANULE = PageCache.GRANULE_BYTES;
    private static final long MEDIUM = 4 * GRANULE;
    private static final long LARGE = 7 * GRANULE;

    /** More than a limit has room for twice. */
    private static final long MOST = 20 * GRANULE;

    /** So little that free memory in pieces must be assembled. */
    private static final int GRANULES = 16;

    private final ThrowEverywhere everywhere;
    private final LeakDetection leaks;
    private final Before before;
    private final String prefix;

    PageOperations(ThrowEverywhere everywhere, LeakDetection leaks, Before before) {
        this.everywhere = everywhere;
        this.leaks = leaks;
        this.before = before;
        this.prefix = before.prefix + (leaks == LeakDetection.OFF ? "" : "watched.");
    }

    private void check(String name, Function<Holdings, Operation> setUp) {
        everywhere.check(
                prefix + name,
                () ->
                        new PoolScenario(
                                new PoolUnderTest(2 * GRANULES * GRANULE, leaks),
                                before.then(setUp)));
    }

    void tryAll() {
        tryTaking();
        tryMakingRoom();
        tryGiving();
        tryAssembling();
        tryBackground();
    }

    /** Tries those that a leak detector hears of. */
    void tryWatched() {
        taking("page.take-small", 1);
        tryGiving();
    }

    private void tryTaking() {
        taking("page.take-small", 1);
        taking("page.take-medium", MEDIUM);
        taking("page.take-large", LARGE);
        check(
                "page.take-warm",
                held -> {
                    held.take(LARGE).give();
                    return () -> held.take(MEDIUM);
                });
        check("page.take-range", held -> () -> held.add(held.cache.allocate(GRANULE, 2 * MEDIUM)));
        check(
                "page.take-in-line",
                held -> () -> held.add(held.cache.allocate(MEDIUM, Duration.ofSeconds(1))));
        check(
                "page.take-timeout",
                held ->
                        () -> {
                            try {
                                long tooMuch = 2 * GRANULES * GRANULE; // bystanders have some
                                held.add(held.cache.allocate(tooMuch, Duration.ofMillis(1)));
                            } catch (OutOfMemoryError expected) {
                                return;
                            }
                        });
        check(
                "page.take-refused",
                held ->
                        () -> {
                            try {
                                held.take(3 * GRANULES * GRANULE);
                            } catch (OutOfMemoryError expected) {
                                return;
                            }
                        });
    }

    private void tryMakingRoom() {
        check("page.take-makes-room", held -> pending(held, () -> held.take(MOST)));
        check(
                "page.take-in-line-makes-room",
                held ->
                        pending(
                                held,
                                () -> held.add(held.cache.allocate(MOST, Duration.ofSeconds(1)))));
    }

    /** Where a deferred arena that waits to be closed has what the page needs. */
    private static Operation pending(Holdings held, Operation take) {
        try (Arena arena = held.pool.openSharedDeferred()) {
            arena.allocate(MOST);
        }
        return take;
    }

    private void taking(String name, long bytes) {
        check(name, held -> () -> held.take(bytes));
    }

    private void tryGiving() {
        check(
                "page.give-small",
                held -> {
                    HeldPage page = held.take(1);
                    return page::give;
                });
        check(
                "page.give-between",
                held -> {
                    HeldPage left = held.take(GRANULE);
                    HeldPage page = held.take(LARGE);
                    HeldPage right = held.take(MEDIUM);
                    left.give();
                    right.give();
                    return page::give;
                });
        check(
                "page.segment",
                held -> {
                    HeldPage page = held.take(MEDIUM);
                    HeldArena arena = held.open(ArenaKind.SHARED);
                    return () -> page.page().segment(arena.arena());
                });
        check(
                "page.give-viewed",
                held -> {
                    HeldPage page = held.take(MEDIUM);
                    held.view(page, held.open(ArenaKind.CONFINED));
                    return page::give;
                });
        check(
                "page.close-last-view",
                held -> {
                    HeldPage page = held.take(MEDIUM);
                    HeldArena arena = held.open(ArenaKind.CONFINED);
                    held.view(page, arena);
                    page.give();
                    return arena::close;
                });
    }

    /** Leaves free memory in pieces of a granule, as much as there may be besides. */
    private static void scatter(Holdings held) {
        List<HeldPage> pages = new ArrayList<>();
        for (int i = 0; i < 2 * GRANULES - 4; i++) {
            pages.add(held.take(GRANULE));
        }
        for (int i = 0; i < pages.size(); i += 2) {
            pages.get(i).give();
        }
    }

    private void tryAssembling() {
        check(
                "page.assemble",
                held -> {
                    scatter(held);
                    return () -> held.take(LARGE);
                });
        check(
                "page.expect",
                held -> {
                    scatter(held);
                    return () -> held.cache.prefetch(MEDIUM, 1);
                });
        check("page.stats", held -> held.pool::stats);
        check(
                "page.trim",
                held -> {
                    scatter(held);
                    return held.pool::trim;
                });
    }

    private void tryBackground() {
        check(
                "page.balance",
                held -> {
                    scatter(held);
                    held.cache.prefetch(MEDIUM, 1);
                    return () -> {
                        for (int i = 0; i < 4; i++) {
                            boolean _ = held.under.tickDefragmenter();
                        }
                    };
                });
        check(
                "page.clean",
                held -> {
                    HeldPage page = held.take(MEDIUM);
                    HeldArena arena = held.open(ArenaKind.CONFINED);
                    held.view(page, arena);
                    page.give();
                    try {
                        arena.close();
                    } catch (Exception never) {
                        throw new AssertionError("nothing is thrown in a set-up", never);
                    }
                    return held.under::tickDefragmenter;
                });
        check(
                "page.decay",
                held -> {
                    scatter(held);
                    return () -> {
                        for (int i = 0; i < 40; i++) {
                            boolean _ = held.under.tickDecay();
                        }
                    };
                });
    }
}
