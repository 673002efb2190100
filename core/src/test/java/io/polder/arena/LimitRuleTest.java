package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.chunk.ChunkLevel;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.Extent;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A pool that was used for something else grants what a fresh one would: arenas of all sizes and
 * kinds, and pages, within a limit of memory or of addresses.
 */
class LimitRuleTest {
    private static final int ROUNDS = TestScale.of(20, 50);

    /** One in so many arenas is shared: its close is a handshake of all threads. */
    private static final int SHARED = 8;

    /** What owners may hold that they never asked for, and as much for rounding. */
    private static final int SHARE = 12;

    /** A page may lie in a reservation that was made for a larger one. */
    private static final int SHARE_OF_ADDRESSES = 2;

    /** What is asked for again and again until it is refused. */
    private record Load(boolean pages, long bytes, long pieces) {
        static Load random(SplittableRandom random) {
            boolean pages = random.nextInt(4) == 0;
            long bytes = 1L << (pages ? 20 + random.nextInt(4) : random.nextInt(20));
            return new Load(
                    pages, bytes + random.nextLong(bytes), pages ? 1 : 1 + random.nextInt(5));
        }
    }

    /** A pool, and what lives in it. */
    private static final class Pool {
        final ArenaFactory memory;
        final List<Arena> arenas = new ArrayList<>();
        final List<Extent> pages = new ArrayList<>();

        Pool(MemoryLimits limits) {
            memory = Slabs.memory(Slabs.source(Providers.choose().provider(), limits, 16 << 10), 2);
        }

        /** Takes so many until one is refused; returns how many there were. */
        int fill(Load load, int most, SplittableRandom random) {
            for (int i = 0; i < most; i++) {
                try {
                    if (load.pages) {
                        pages.add(memory.source().takeLarge(load.bytes, 0, true));
                    } else {
                        Arena arena =
                                random.nextInt(SHARED) == 0
                                        ? memory.openShared()
                                        : memory.openConfined();
                        arenas.add(arena);
                        for (long piece = 0; piece < load.pieces; piece++) {
                            arena.allocate(1 + load.bytes / load.pieces, 8);
                        }
                    }
                } catch (OutOfMemoryError full) {
                    return i;
                }
            }
            return most;
        }

        /** Gives all memory back: hundreds of pools come and go. */
        void release() {
            int _ = memory.trim();
            memory.close();
            memory.source().pages.close();
            memory.source().space.close();
        }

        void clear() {
            arenas.forEach(Arena::close);
            arenas.clear();
            pages.forEach(page -> memory.source().giveLarge(page, page.bytes()));
            pages.clear();
        }
    }

    @Test
    void fill_afterAnotherLoad_asMuchAsInAFreshPool() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        oneRound(random);
                    }
                });
    }

    @Test
    void fill_withArenasThatAreMuchOfTheLimit_asMuchAsInAFreshPool() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        long limit = ChunkLevel.ROOT_BYTES * (1 + random.nextInt(4));
                        long bytes = limit / 32 + random.nextLong(limit / 4);
                        oneRound(random, limit, new Load(false, bytes, 1 + random.nextInt(5)));
                    }
                });
    }

    private static void oneRound(SplittableRandom random) {
        long limit = ChunkLevel.ROOT_BYTES * (1 + random.nextInt(16));
        oneRound(random, limit, Load.random(random));
    }

    private static void oneRound(SplittableRandom random, long limit, Load load) {
        MemoryLimits limits =
                random.nextInt(3) == 0
                        ? new MemoryLimits(MemoryLimits.ADDRESS_SPACE_BYTES, limit)
                        : new MemoryLimits(limit, MemoryLimits.ADDRESS_SPACE_BYTES);
        Load before = Load.random(random);
        int most = 5_000;
        Pool used = new Pool(limits);
        Pool fresh = new Pool(limits);
        for (int i = random.nextInt(3); i >= 0; i--) {
            used.fill(i == 0 ? before : Load.random(random), most, random.split());
            used.clear();
        }
        // The same arenas in both; what the pools learned of arenas may differ.
        long kinds = random.nextLong();
        int granted = used.fill(load, most, new SplittableRandom(kinds));
        int wanted = fresh.fill(load, most, new SplittableRandom(kinds));
        boolean addresses = limits.reservedMaxBytes() < MemoryLimits.ADDRESS_SPACE_BYTES;
        int share = load.pages && addresses ? SHARE_OF_ADDRESSES : SHARE;
        assertThat(granted)
                .as("limits=%s, before=%s, load=%s", limits, before, load)
                .isGreaterThanOrEqualTo(wanted - wanted / share - 1);
        used.clear();
        fresh.clear();
        SlabAudit.check(used.memory);
        SpaceCheck.verify(used.memory.source().space);
        used.release();
        fresh.release();
    }
}
