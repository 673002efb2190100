package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.ArenaFactory;
import io.polder.arena.OtherThread;
import io.polder.arena.SlabAudit;
import io.polder.arena.Slabs;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** What a pool says about itself, and the pool that all share. */
class MemoryPoolTest {
    private static final int ENOMEM = 12;

    @RegisterExtension final Slabs fixture = new Slabs();

    @Test
    void toString_namesThePool() {
        try (MemoryPool pool = MemoryPool.builder().name("named").build()) {
            assertThat(pool).hasToString("MemoryPool[name=named]");
        }
    }

    @Test
    void common_always_isTheSame() {
        assertThat(MemoryPool.common()).isSameAs(MemoryPool.common());
        assertThat(MemoryPool.common().stats().arenas().pooled()).isTrue();
    }

    @Test
    void ofConfined_andOfShared_useTheCommonPool() {
        ArenaFactory slabs = Objects.requireNonNull(WatchedPool.slabs(MemoryPool.common()));
        assertSameMemory(MemoryPool::ofConfined, MemoryPool.common()::openConfined);
        assertSameMemory(MemoryPool::ofShared, MemoryPool.common()::openShared);
        long _ = MemoryPool.common().trim(); // what other tests closed may be given back later
        auditAtRest(slabs);
    }

    /** One has what the other has left, unless the background gives that back at that moment. */
    private static void assertSameMemory(Supplier<Arena> one, Supplier<Arena> other) {
        boolean isSame = false;
        for (int look = 0; look < 50 && !isSame; look++) {
            isSame = firstAddress(one) == firstAddress(other);
        }
        assertThat(isSame).isTrue();
    }

    private static long firstAddress(Supplier<Arena> opener) {
        try (Arena arena = opener.get()) {
            return arena.allocate(8).address();
        }
    }

    /** Of a pool that has a background, which may be giving something back at that moment. */
    private static void auditAtRest(ArenaFactory slabs) {
        for (int look = 0; look < 50 && !isAtHome(slabs); look++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        SlabAudit.check(slabs);
    }

    private static boolean isAtHome(ArenaFactory slabs) {
        try {
            SlabAudit.check(slabs);
            return true;
        } catch (AssertionError fault) {
            return false;
        }
    }

    @Test
    void stats_fresh_holdsNothing() {
        PoolStatistics stats = WatchedPool.create(fixture, 4096, 2).stats();
        assertThat(stats.arenas().pooled()).isTrue();
        assertThat(stats.provider()).isEqualTo(Providers.choose().provider().name());
        assertThat(stats.reason()).isEqualTo(Providers.choose().reason());
        assertThat(stats.arenas().slabBytes()).isEqualTo(4096);
        assertThat(stats.arenas().slabsPerThread()).isEqualTo(2);
        assertThat(stats.name()).isEqualTo("test");
        assertThat(stats.givesBack()).isEqualTo(Providers.choose().provider().canUncommit());
        assertThat(stats.committedMaxBytes()).as("no limit").isEqualTo(-1);
        assertThat(stats.reservedMaxBytes()).isEqualTo(-1);
        assertThat(stats.reservedBytes()).isZero();
        assertThat(stats.committedBytes()).isZero();
        assertThat(stats.usedBytes()).isZero();
        assertThat(stats.capacityBytes()).isZero();
        assertThat(stats.committedBytes() - stats.usedBytes()).isZero();
        assertThat(stats.pages().reservedBytes()).isZero();
        assertThat(stats.arenas().threads()).isZero();
        assertThat(stats.refusals()).isZero();
    }

    @Test
    void stats_used_countsChunksAndThreads() {
        MemoryPool pool = WatchedPool.create(fixture, 4096, 1);
        try (Arena outer = pool.openConfined();
                Arena inner = pool.openConfined();
                Arena shared = pool.openShared()) {
            outer.allocate(1);
            inner.allocate(1);
            shared.allocate(1);
            PoolStatistics open = pool.stats();
            assertThat(open.capacityBytes()).isEqualTo(4096 + 1024 + 1024);
            assertThat(open.usedBytes()).isEqualTo(open.capacityBytes());
            assertThat(open.arenas().threads()).isEqualTo(1);
            assertOrdered(open);
        }
        PoolStatistics closed = pool.stats();
        assertThat(closed.capacityBytes()).isEqualTo(4096 + 2 * 1024); // kept
        assertOrdered(closed);
    }

    @Test
    void stats_large_countsItsPage() {
        MemoryPool pool = WatchedPool.create(fixture, 4096, 1);
        try (Arena arena = pool.openShared()) {
            arena.allocate(5 << 20);
            PoolStatistics open = pool.stats();
            assertThat(open.pages().takenPages()).isEqualTo(1);
            assertThat(open.pages().takenBytes()).isEqualTo(6 << 20);
            assertThat(open.usedChunks()).isZero();
            assertThat(open.capacityBytes()).isEqualTo(6 << 20);
            assertThat(open.usedBytes()).isEqualTo(6 << 20);
            assertThat(open.committedBytes() - open.usedBytes()).isZero();
            assertOrdered(open);
        }
        PoolStatistics closed = pool.stats();
        assertThat(closed.pages().takenPages()).isZero();
        assertThat(closed.capacityBytes()).isZero();
        assertThat(closed.committedBytes() - closed.usedBytes())
                .as("until it decays")
                .isEqualTo(6 << 20);
        assertThat(closed.freeChunks()).allMatch(free -> free.bytes() == 0);
        assertOrdered(closed);
        assertThat(pool.trim()).isEqualTo(6 << 20);
        assertThat(pool.stats().committedBytes()).isZero();
    }

    private static void assertOrdered(PoolStatistics stats) {
        assertThat(stats.usedBytes()).isLessThanOrEqualTo(stats.committedBytes());
        assertThat(stats.committedBytes()).isLessThanOrEqualTo(stats.reservedBytes());
        assertThat(stats.committedBytes())
                .isEqualTo(stats.committedTotalBytes() - stats.uncommittedTotalBytes());
    }

    @Test
    void stats_afterManyShortThreads_hasNotGrown() {
        MemoryPool pool = WatchedPool.create(fixture, 4096, 4);
        for (int i = 0; i < 500; i++) {
            OtherThread.platform(
                    () -> {
                        try (Arena arena = pool.openConfined()) {
                            return arena.allocate(100).address();
                        }
                    });
        }
        assertThat(pool.stats().capacityBytes()).isEqualTo(4096);
        assertThat(pool.stats().arenas().threads()).isEqualTo(1);
    }

    @Test
    void stats_off_saysSo() {
        for (MemoryPool pool :
                new MemoryPool[] {
                    WatchedPool.create(fixture, 0, 4), WatchedPool.create(fixture, 4096, 0)
                }) {
            try (Arena arena = pool.openConfined()) {
                assertThat(arena.allocate(8).byteSize()).isEqualTo(8);
            }
            PoolStatistics stats = pool.stats();
            assertThat(stats.arenas().pooled()).isFalse();
            assertThat(stats.reason()).isEqualTo("slabs are off");
            assertThat(stats.reservedBytes()).isZero();
            assertThat(stats.capacityBytes()).isZero();
        }
    }

    @Test
    void stats_refused_countsIt() {
        FailingMemoryProvider provider = new FailingMemoryProvider(Providers.choose().provider());
        MemoryPool pool = WatchedPool.create(fixture, provider, 4096, 4);
        provider.failAlways(Call.RESERVE, ENOMEM);
        for (int i = 0; i < 100; i++) {
            try (Arena arena = pool.openConfined()) {
                assertThat(Paint.isZero(arena.allocate(100))).isTrue();
            }
        }
        assertThat(pool.stats().refusals()).isPositive().isEqualTo(provider.failures(Call.RESERVE));
        provider.heal();
        for (int i = 0; i < 1000; i++) {
            try (Arena arena = pool.openConfined()) {
                assertThat(Paint.isZero(arena.allocate(100))).isTrue();
            }
        }
        assertThat(pool.stats().capacityBytes()).isEqualTo(4096 + 1024); // both kept
    }
}
