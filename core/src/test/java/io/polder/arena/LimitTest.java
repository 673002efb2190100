package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.Paint;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkStatistics;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Budgets that are used up, and what the pool holds when owners die. */
class LimitTest {
    private static final long ROOT = ChunkLevel.ROOT_BYTES;
    private static final long LIMIT = 2 * ROOT;
    private static final long SLAB = 4096;

    /** How often a budget is used up. */
    private static final int CYCLES = TestScale.of(3, 6);

    /** The OS page. */
    private static final long PAGE = Providers.choose().provider().osPageSize();

    private ArenaFactory memory = memory(LIMIT);

    private record Owner(Arena arena, List<MemorySegment> blocks, int seed) {
        boolean isIntact() {
            return blocks.stream().allMatch(block -> Paint.isPainted(block, seed));
        }
    }

    private static ArenaFactory memory(long committedMaxBytes) {
        MemoryLimits limits = new MemoryLimits(committedMaxBytes, 1L << 32);
        return Slabs.memory(Slabs.source(Providers.choose().provider(), limits, SLAB), 2);
    }

    @AfterEach
    void afterAllDiedAndATrim_nothingIsLeft() {
        SlabAudit.check(memory);
        memory.trim();
        memory.source().space.trim();
        SpaceCheck.verifyAtRest(memory.source().space);
        assertThat(statistics().usedBytes()).isZero();
        assertThat(statistics().usedCommittedBytes()).isZero();
        assertThat(statistics().usage().committedBytes()).isZero();
    }

    private ChunkStatistics statistics() {
        return memory.source().space.statistics();
    }

    /** Opens an owner and has it allocate blocks until it has so many bytes, or memory runs out. */
    private Owner open(long bytes, long blockBytes, int seed) {
        Owner owner = new Owner(memory.openShared(), new ArrayList<>(), seed);
        fill(owner, bytes, blockBytes);
        return owner;
    }

    /** Returns whether there was enough memory. */
    private static boolean fill(Owner owner, long bytes, long blockBytes) {
        for (long done = 0; done < bytes; done += blockBytes) {
            MemorySegment block;
            try {
                block = owner.arena().allocate(blockBytes);
            } catch (OutOfMemoryError full) {
                return false;
            }
            Paint.paint(block, owner.seed());
            owner.blocks().add(block);
        }
        return true;
    }

    private static void close(Owner owner) {
        assertThat(owner.isIntact()).isTrue();
        owner.arena().close();
    }

    @Test
    void limitHit_oneOwnerDies_anotherGoesOn() {
        Owner first = open(LIMIT / 2, 500, 1);
        Owner second = open(LIMIT / 4, 3000, 2);
        Owner third = new Owner(memory.openShared(), new ArrayList<>(), 3);
        assertThat(fill(third, LIMIT, 1000)).isFalse();
        assertThat(third.blocks()).hasSizeGreaterThan(1000);
        for (int i = 0; i < 20; i++) {
            ChunkStatistics before = statistics();
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> third.arena().allocate(100_000))
                    .withMessageContaining("committedMaxBytes=" + LIMIT);
            assertThat(statistics().usage().committedBytes())
                    .isEqualTo(before.usage().committedBytes());
        }
        close(second);
        assertThat(fill(third, LIMIT / 8, 1000)).as("there is room again").isTrue();
        assertThat(first.isIntact()).isTrue();
        close(third);
        assertThat(fill(first, LIMIT / 4, 500)).isTrue();
        close(first);
    }

    @Test
    void limitHit_confinedArenaDies_anotherGoesOn() {
        try (Arena second = memory.openConfined()) {
            try (Arena first = memory.openConfined()) {
                first.allocate(LIMIT / 2 - 100_000).fill((byte) -1);
                second.allocate(LIMIT / 2).fill((byte) 1);
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> second.allocate(200_000))
                        .withMessageContaining("committedMaxBytes=" + LIMIT);
            }
            assertThat(Paint.isZero(second.allocate(1 << 20))).isTrue();
        }
    }

    /** A limit that the growing reservation must not overrun. */
    @Test
    void reservedLimitHit_oneOwnerDies_anotherGoesOn() {
        MemoryLimits limits = new MemoryLimits(1L << 32, 3 * ROOT);
        memory = Slabs.memory(Slabs.source(Providers.choose().provider(), limits, SLAB), 2);
        Arena first = memory.openShared();
        for (int i = 0; i < 3; i++) {
            first.allocate(ROOT).fill((byte) 1);
        }
        try (Arena second = memory.openShared()) {
            for (long bytes : new long[] {1, ROOT, ROOT + 1}) {
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> second.allocate(bytes))
                        .withMessageStartingWith("reserved memory must stay within its limit")
                        .withMessageContaining("reservedMaxBytes=" + 3 * ROOT);
            }
            first.close();
            assertThat(Paint.isZero(second.allocate(1 << 20))).isTrue();
            assertThat(second.allocate(2 * ROOT).byteSize()).isEqualTo(2 * ROOT);
        }
    }

    /** Each time as much, and nearly all of the budget. */
    @Test
    void fillToTheLimit_dropAll_fillsAsMuchAgain() {
        List<Long> filled = new ArrayList<>();
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            List<Owner> owners = new ArrayList<>();
            SplittableRandom random = new SplittableRandom(7);
            long bytes = 0;
            boolean full = false;
            while (!full) {
                Owner owner = open(0, 1, cycle);
                owners.add(owner);
                full = !fill(owner, 40_000, 16L * (1 + random.nextInt(30)));
                bytes += owner.blocks().stream().mapToLong(MemorySegment::byteSize).sum();
            }
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .as("and stays full")
                    .isThrownBy(() -> owners.getFirst().arena().allocate(ROOT));
            owners.forEach(LimitTest::close);
            assertThat(Slabs.usedBytes(memory)).isZero();
            filled.add(bytes);
        }
        assertThat(filled.subList(1, CYCLES)).containsOnly(filled.getLast());
        assertThat(filled.getFirst()) // from which the pool learned
                .isBetween(filled.getLast() * 99 / 100, filled.getLast() + PAGE);
        assertThat(filled.getLast()).isBetween(LIMIT * 95 / 100, LIMIT);
    }

    /** Owners of a part of an OS page each: those that live keep the pages of those that died. */
    @Test
    void everySecondOwnerAlive_small_keepsAtMostTheirPages() {
        List<Owner> alive = checkerboard(3000, 700);
        memory.trim();
        memory.source().space.trim();
        ChunkStatistics half = statistics();
        assertThat(half.usedBytes()).isEqualTo(3000 / 2 * 1024L);
        assertThat(half.usage().committedBytes()).isLessThanOrEqualTo(2 * half.usedBytes() + PAGE);
        for (int i = 0; i < 3000 / 2; i++) { // the gaps fit the next ones
            alive.add(open(700, 700, i));
        }
        assertThat(statistics().usage().committedBytes()).isEqualTo(half.usage().committedBytes());
        alive.forEach(LimitTest::close);
    }

    /** Owners of whole OS pages: what died is given back, no matter who lives next to it. */
    @Test
    void everySecondOwnerAlive_ofPages_keepsLittleMoreThanTheyHold() {
        assumeTrue(PAGE <= 16 << 10, "they consist of OS pages");
        memory = memory(16 * ROOT);
        List<Owner> alive = checkerboard(600, 30_000);
        memory.trim();
        memory.source().space.trim();
        ChunkStatistics half = statistics();
        assertThat(half.usage().committedBytes() * 100)
                .isLessThanOrEqualTo(half.usedCommittedBytes() * 104);
        assertThat(half.usage().committedBytes() * 100)
                .isLessThanOrEqualTo(600 / 2 * 30_000L * 118);
        alive.forEach(LimitTest::close);
    }

    /** Opens owners, closes every second one, and returns the others. */
    private List<Owner> checkerboard(int count, long ownerBytes) {
        List<Owner> owners = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            owners.add(open(ownerBytes, Math.min(ownerBytes, 1000), i));
        }
        List<Owner> alive = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (i % 2 == 0) {
                close(owners.get(i));
            } else {
                alive.add(owners.get(i));
            }
        }
        return alive;
    }
}
