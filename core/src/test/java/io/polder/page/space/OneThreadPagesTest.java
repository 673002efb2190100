package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A thread alone in a space is granted what the limit allows, whatever the background does. */
class OneThreadPagesTest extends PageFixture {
    private static final int SPACES = 6;
    private static final int ROUNDS = 120;

    /** Calls of the background take a while, so that it has much in hand. */
    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            private void dawdle() {
                if (Thread.currentThread().getName().equals("test-pages")) {
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(300_000));
                }
            }

            @Override
            public void uncommit(long[] addresses, long[] sizes, int count) {
                dawdle();
                super.uncommit(addresses, sizes, count);
                dawdle();
            }

            @Override
            public void uncommit(long address, long bytes) {
                dawdle();
                super.uncommit(address, bytes);
            }

            @Override
            public void remap(long from, long to, long bytes) {
                dawdle();
                super.remap(from, to, bytes);
            }

            @Override
            public void renew(long address, long bytes) {
                dawdle();
                super.renew(address, bytes);
            }
        };
    }

    @Test
    void take_whatTheLimitLeaves_isNeverRefused() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    for (int i = 0; i < SPACES; i++) {
                        use(random);
                    }
                });
    }

    private void use(SplittableRandom random) {
        int granules = 2 + random.nextInt(30);
        long limit = Granules.bytes(granules) + random.nextLong(2 * MIB);
        // Addresses for the assembly of scattered memory, or hardly more than nothing.
        boolean scarce = random.nextBoolean();
        long addresses = scarce ? Granules.bytes(granules) : MemoryLimits.ADDRESS_SPACE_BYTES;
        PageSpace space =
                space(
                        new MemoryLimits(limit, Math.max(addresses, MemoryLimits.LEAST_BYTES)),
                        new PageSettings(TimeUnit.MILLISECONDS.toNanos(1), true, false));
        for (int round = 0; round < ROUNDS; round++) {
            List<Extent> live = new ArrayList<>();
            int left = granules;
            while (left > 0 && random.nextInt(6) > 0) {
                int count = 1 + random.nextInt(left);
                // Where addresses are scarce, what lives may bar those of others.
                Extent page = space.take(Granules.bytes(count), random.nextBoolean());
                space.give(page, random.nextLong(page.bytes() + 1));
                if (!scarce) {
                    live.add(space.take(Granules.bytes(count), random.nextBoolean()));
                    left -= count;
                }
            }
            LockSupport.parkNanos(random.nextLong(1_500_000));
            if (left > 0) {
                live.add(space.take(Granules.bytes(left), false));
            }
            assertThat(space.statistics().takenBytes()).isEqualTo(Granules.bytes(granules));
            while (!live.isEmpty()) {
                Extent given = live.remove(random.nextInt(live.size()));
                space.give(given, random.nextLong(given.bytes() + 1));
            }
        }
        space.close();
    }
}
