package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.SlabSettings;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of {@link java.lang.foreign.Arena}, for each kind of arena and extreme settings. */
class ArenaContractTest {
    @Nested
    class Confined extends PoolContract.Confined {
        Confined() {
            super(SlabSettings.BYTES_DEFAULT, SlabSettings.COUNT_DEFAULT);
        }
    }

    @Nested
    @ExtendWith(OnVirtualThread.class)
    class ConfinedOnVirtualThreads extends PoolContract.Confined {
        ConfinedOnVirtualThreads() {
            super(SlabSettings.BYTES_DEFAULT, SlabSettings.COUNT_DEFAULT);
        }

        @Test
        void test_always_runsInAVirtualThread() {
            assertThat(Thread.currentThread().isVirtual()).isTrue();
        }
    }

    @Nested
    class SmallestSlabs extends PoolContract.Confined {
        SmallestSlabs() {
            super(SlabSettings.BYTES_MIN, 1);
        }
    }

    @Nested
    @ExtendWith(OnVirtualThread.class)
    class SmallestSlabsOnVirtualThreads extends PoolContract.Confined {
        SmallestSlabsOnVirtualThreads() {
            super(SlabSettings.BYTES_MIN, 1);
        }
    }

    @Nested
    class LargestSlabs extends PoolContract.Confined {
        LargestSlabs() {
            super(SlabSettings.BYTES_MAX, SlabSettings.COUNT_MAX);
        }
    }

    @Nested
    class PlainProvider extends PoolContract.Confined {
        PlainProvider() {
            super(SlabSettings.BYTES_DEFAULT, SlabSettings.COUNT_DEFAULT, true);
        }
    }

    @Nested
    class SizeZero extends PoolContract.Confined {
        SizeZero() {
            super(0, SlabSettings.COUNT_DEFAULT);
        }

        @Test
        void stats_pooled_isFalse() {
            assertThat(pool().stats().arenas().pooled()).isFalse();
        }
    }

    @Nested
    class CountZero extends PoolContract.Confined {
        CountZero() {
            super(SlabSettings.BYTES_DEFAULT, 0);
        }

        @Test
        void stats_pooled_isFalse() {
            assertThat(pool().stats().arenas().pooled()).isFalse();
        }
    }

    @Nested
    class Shared extends PoolContract.Shared {
        Shared() {
            super(SlabSettings.BYTES_DEFAULT, SlabSettings.COUNT_DEFAULT);
        }
    }

    @Nested
    @ExtendWith(OnVirtualThread.class)
    class SharedOnVirtualThreads extends PoolContract.Shared {
        SharedOnVirtualThreads() {
            super(4096, 2);
        }
    }

    @Nested
    class SharedSmallestSlabs extends PoolContract.Shared {
        SharedSmallestSlabs() {
            super(SlabSettings.BYTES_MIN, 1);
        }
    }

    @Nested
    class SharedOff extends PoolContract.Shared {
        SharedOff() {
            super(0, 0);
        }
    }
}
