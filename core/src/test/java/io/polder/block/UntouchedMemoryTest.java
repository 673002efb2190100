package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Giving back neither reads nor writes what it gives back, gives little more than is wanted, and
 * leaves nobody to clear it: by mappings that say what has memory.
 */
class UntouchedMemoryTest extends BlockFixture {
    private static final int ROUNDS = TestScale.of(10, 300);

    /** Says what the ranges have that are uncommitted. */
    private static final class Watching extends DelegatingProvider {
        final AtomicLong residentBytes = new AtomicLong();
        final AtomicLong rangeBytes = new AtomicLong();

        Watching(MemoryProvider provider) {
            super(provider);
        }

        @Override
        public void uncommit(long address, long bytes) {
            watch(address, bytes);
            super.uncommit(address, bytes);
        }

        @Override
        public void uncommit(long[] addresses, long[] sizes, int count) {
            for (int i = 0; i < count; i++) {
                watch(addresses[i], sizes[i]);
            }
            super.uncommit(addresses, sizes, count);
        }

        private void watch(long address, long bytes) {
            long _ = residentBytes.addAndGet(residentBytes(address, bytes));
            long _ = rangeBytes.addAndGet(bytes);
        }
    }

    private final Watching watching = new Watching(Providers.choose().provider());

    private static long random(SplittableRandom random) {
        long bytes = 1L << random.nextInt(16, 23);
        return bytes + random.nextLong(bytes);
    }

    @Test
    void giveBack_littleTouched_touchesNoMore() {
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

    private void oneRound(SplittableRandom random) {
        BlockSpace space = space(watching, MemoryLimits.NONE);
        List<Long> blocks = new ArrayList<>();
        long size = random(random);
        int many = random.nextInt(20, 60);
        for (int i = 0; i < many; i++) {
            blocks.add(space.allocate(random.nextBoolean() ? size : random(random)));
            Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, blocks.getLast(), i + 1L);
        }
        long resident = 0;
        for (long block : blocks) {
            resident += watching.residentBytes(pageOf(block), roundedUp(space, block));
        }
        blocks.forEach(space::free);
        watching.residentBytes.set(0);
        switch (random.nextInt(3)) {
            case 0 -> trim(parts(space));
            case 1 -> {
                boolean _ = space.tick();
                boolean _ = space.tick();
                trim(parts(space));
            }
            default -> {
                long _ = space.trim();
                trim(parts(space));
            }
        }
        assertThat(committedBytes(space)).isZero();
        // Where spans have several blocks, they share pages, and have free ones at hand.
        long linked = 16L * many * watching.osPageSize();
        assertThat(watching.residentBytes.get())
                .as("size=%d, many=%d", size, many)
                .isLessThanOrEqualTo(resident + linked);
    }

    private long pageOf(long address) {
        return address & -watching.osPageSize();
    }

    private long roundedUp(BlockSpace space, long block) {
        long page = watching.osPageSize();
        return (space.usableSize(block) + page - 1) & -page;
    }

    @Test
    void uncommitFree_aLittleIsWanted_leavesTheRest() {
        BlockSpace space = space(watching, MemoryLimits.NONE);
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            blocks.add(space.allocate(MIB));
        }
        blocks.forEach(space::free);
        int empties = space.empties.count();
        assertThat(empties).isGreaterThan(290);
        long done = space.empties.uncommit(1);
        assertThat(done).isPositive();
        assertThat(space.empties.count()).isBetween(empties - 64, empties - 1);
        assertThat(committedBytes(space)).isGreaterThanOrEqualTo((300 - 64) * MIB);
        assertThat(parts(space).chunks().hasWarmFree())
                .as("somebody would clear what is free and dirty")
                .isFalse();
    }

    @Test
    void allocate_inTheWayOfALimit_getsNoMemoryButWhereItIsTouched() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(seed, () -> fillAgainAndAgain(random));
    }

    private void fillAgainAndAgain(SplittableRandom random) {
        BlockSpace space = space(watching, limits(32 * MIB));
        List<Long> blocks = new ArrayList<>();
        int refusals = 0;
        for (int i = 0; refusals < 20; i++) {
            assertThat(i).isLessThan(100_000);
            try {
                long block = space.allocate(random.nextLong(64 * KIB + 1, MIB));
                Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, block, i);
                blocks.add(block);
            } catch (OutOfMemoryError _) {
                refusals++;
                for (int left = blocks.size() / 4; left > 0; left--) {
                    space.free(blocks.remove(random.nextInt(blocks.size())));
                }
            }
        }
        long resident = 0;
        for (long block : blocks) {
            resident += watching.residentBytes(pageOf(block), roundedUp(space, block));
        }
        blocks.forEach(space::free);
        assertThat(resident).isLessThanOrEqualTo(4 * MIB);
    }

    private static MemoryLimits limits(long committedMaxBytes) {
        return new MemoryLimits(committedMaxBytes, MemoryLimits.ADDRESS_SPACE_BYTES);
    }
}
