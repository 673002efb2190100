package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.MemoryPool;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;

/** What caches evict for others of their pool, others get: however busy the caches are. */
@Timeout(300)
class RoomForOthersTest {
    private static final long LIMIT = 96L << 20;

    /** What others have, at most: the caches keep the rest. */
    private static final long OTHERS_MAX = LIMIT / 3;

    private static final int REQUESTS = 120;

    /** The thread may be off its processor for longer than caches stand back. */
    private static final int REFUSED_MAX = REQUESTS / 40;

    private enum Kind {
        CONFINED,
        SHARED,
        BLOCK,
        PAGE,
        WAITED_PAGE,
        OBJECT
    }

    /** What somebody has of the pool. */
    private record Taken(long bytes, Runnable gives) {}

    private final SplittableRandom seeds = new SplittableRandom();

    private static OffHeapCache<Long, byte[]> cache(MemoryPool pool) {
        return OffHeapCache.<Long, byte[]>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.bytes())
                .pool(pool)
                .build();
    }

    /** Puts without a pause. */
    private static final class Putting {
        private final AtomicReference<Throwable> thrown = new AtomicReference<>();
        private volatile boolean ends;
        private volatile long puts;
        private final Thread thread;

        Putting(OffHeapCache<Long, byte[]> cache, SplittableRandom random) {
            thread =
                    Thread.ofPlatform()
                            .daemon()
                            .uncaughtExceptionHandler((_, e) -> thrown.set(e))
                            .start(() -> put(cache, random));
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // of one thread
        private void put(OffHeapCache<Long, byte[]> cache, SplittableRandom random) {
            while (!ends) {
                cache.put(random.nextLong(200_000), new byte[random.nextInt(100, 5000)]);
                puts++;
            }
        }

        void check() {
            assertThat(thrown.get()).isNull();
        }

        void end() throws InterruptedException {
            ends = true;
            thread.join();
            check();
        }
    }

    private static Taken take(MemoryPool pool, RelocatingHeap heap, Kind kind, long bytes)
            throws InterruptedException {
        return switch (kind) {
            case CONFINED -> arena(pool.openConfined(), bytes);
            case SHARED -> arena(pool.openShared(), bytes);
            case BLOCK -> {
                long block = pool.blocks().allocateAddress(bytes);
                yield new Taken(bytes, () -> pool.blocks().freeAddress(block));
            }
            case PAGE -> {
                Page page = pool.pages().allocate(bytes);
                yield new Taken(bytes, page::close);
            }
            case WAITED_PAGE -> {
                Page page = pool.pages().allocate(bytes, Duration.ofSeconds(20));
                yield new Taken(bytes, page::close);
            }
            case OBJECT -> {
                long handle = heap.allocate(bytes);
                yield new Taken(bytes, () -> heap.free(handle));
            }
        };
    }

    private static Taken arena(Arena arena, long bytes) {
        boolean made = false;
        try {
            MemorySegment segment = arena.allocate(bytes);
            segment.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
            made = true;
            return new Taken(bytes, arena::close);
        } finally {
            if (!made) {
                arena.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void othersOfThePool_whileCachesAreBusy_areNotRefused(int count) throws Exception {
        long seed = seeds.nextLong();
        System.out.println("caches=" + count + ", seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        List<OffHeapCache<Long, byte[]>> caches = new ArrayList<>();
        List<Putting> puttings = new ArrayList<>();
        Map<Kind, Integer> asked = new EnumMap<>(Kind.class);
        Deque<Taken> taken = new ArrayDeque<>();
        try (MemoryPool pool =
                MemoryPool.builder().name("busy-caches").committedMaxBytes(LIMIT).build()) {
            RelocatingHeap heap = pool.openHeap();
            try {
                for (int i = 0; i < count; i++) {
                    caches.add(cache(pool));
                    puttings.add(new Putting(caches.getLast(), random.split()));
                }
                while (caches.stream().allMatch(each -> each.stats().evictions() == 0)) {
                    puttings.forEach(Putting::check);
                    Thread.sleep(1);
                }
                long bytes = 0;
                int refused = 0;
                for (int i = 0; i < REQUESTS; i++) {
                    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
                    long wanted = 1 + (long) ((8 << 20) * random.nextDouble());
                    while (bytes + wanted > OTHERS_MAX) {
                        Taken given = taken.poll();
                        given.gives().run();
                        bytes -= given.bytes();
                        if (random.nextInt(4) == 0) {
                            Thread.sleep(random.nextInt(100)); // the caches grow
                        }
                    }
                    int _ = asked.merge(kind, 1, Integer::sum);
                    try {
                        taken.add(take(pool, heap, kind, wanted));
                        bytes += wanted;
                    } catch (OutOfMemoryError full) {
                        System.out.println(kind + ", bytes=" + wanted + ": " + full.getMessage());
                        refused++;
                    }
                }
                assertThat(asked).hasSize(Kind.values().length);
                assertThat(refused).isLessThanOrEqualTo(REFUSED_MAX);
                assertThat(caches.stream().mapToLong(OffHeapCache::size).sum()).isPositive();
                for (Putting each : puttings) {
                    long before = each.puts;
                    while (each.puts == before) {
                        each.check();
                        Thread.sleep(1); // nobody is kept from putting
                    }
                }
            } finally {
                for (Putting each : puttings) {
                    each.end();
                }
                taken.forEach(each -> each.gives().run());
                caches.forEach(OffHeapCache::close);
                heap.close();
            }
        }
    }
}
