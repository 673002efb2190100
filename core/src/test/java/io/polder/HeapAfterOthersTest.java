package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Heaps of pools whose memory arenas or blocks had before, and have free still. */
class HeapAfterOthersTest {
    private static final long MIB = 1 << 20;
    private static final long LIMIT = 64 * MIB;
    private static final long PIECE = 64 << 10;
    private static final long BYTES = 1000;

    private enum Limit {
        MEMORY,
        ADDRESSES;

        /** One that gives nothing back by itself. */
        MemoryPool pool() {
            MemoryPool.Builder builder =
                    MemoryPool.builder().decay(Duration.ofDays(1)).logExhaustion(false);
            return (this == MEMORY
                            ? builder.committedMaxBytes(LIMIT)
                            : builder.reservedMaxBytes(LIMIT))
                    .build();
        }
    }

    private static RelocatingHeap heap(MemoryPool pool) {
        return pool.openHeap(HeapOptions.DEFAULT.withCompactionShare(0));
    }

    private static List<Long> fill(RelocatingHeap heap) {
        List<Long> handles = new ArrayList<>();
        for (long next; (next = heap.tryAllocate(BYTES)) != 0; ) {
            handles.add(next);
        }
        return handles;
    }

    /** Takes all of a pool, again and again the same; its last request is refused. */
    private static void exhaust(Runnable takes) {
        try {
            while (true) {
                takes.run();
            }
        } catch (OutOfMemoryError full) {
            assertThat(full).hasMessageContaining("MaxBytes=" + LIMIT);
        }
    }

    /** Half of it at least, though a fresh pool grants four fifths. */
    private static void checkFreedIsGrantedAgain(MemoryPool pool) {
        try (RelocatingHeap heap = heap(pool)) {
            List<Long> handles = fill(heap);
            assertThat(handles.size() * BYTES).isGreaterThan(LIMIT / 2);
            int freed = 0;
            for (int i = 0; i < handles.size(); i += 2) {
                heap.free(handles.get(i));
                freed++;
            }
            assertThat(fill(heap)).hasSizeGreaterThan(freed / 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void arenaHadAll_whatIsFreedIsGrantedAgain(Limit limit) {
        try (MemoryPool pool = limit.pool()) {
            try (Arena arena = pool.openConfined()) {
                exhaust(() -> arena.allocate(PIECE));
            }
            checkFreedIsGrantedAgain(pool);
        }
    }

    @ParameterizedTest
    @EnumSource
    void blocksHadAll_whatIsFreedIsGrantedAgain(Limit limit) {
        try (MemoryPool pool = limit.pool()) {
            BlockAllocator blocks = pool.blocks();
            List<Long> addresses = new ArrayList<>();
            exhaust(() -> addresses.add(blocks.allocateAddress(PIECE)));
            addresses.forEach(blocks::freeAddress);
            checkFreedIsGrantedAgain(pool);
        }
    }

    /** Where the arena leaves 7 MiB, the second region takes the last of them, for the reserve. */
    @ParameterizedTest
    @ValueSource(longs = {6, 7, 8, 9})
    void arenaClosesAfterTheHeapWasFull_theHeapHasItsMemory(long leftMib) {
        try (MemoryPool pool = Limit.MEMORY.pool();
                RelocatingHeap heap = heap(pool)) {
            try (Arena arena = pool.openConfined()) {
                for (long bytes = leftMib * MIB; bytes < LIMIT; bytes += PIECE) {
                    arena.allocate(PIECE);
                }
                List<Long> _ = fill(heap);
            }
            assertThat(fill(heap).size() * BYTES).isGreaterThan(LIMIT / 2);
        }
    }

    /** One that waits has the heap compacted for all it needs, as one that does not wait. */
    @Test
    void timedPage_isDeadInAHeap_isGranted() {
        try (MemoryPool pool = Limit.MEMORY.pool();
                RelocatingHeap heap = heap(pool)) {
            List<Long> handles = fill(heap);
            for (int i = 0; i < handles.size(); i++) {
                if (i % 4 != 0) {
                    heap.free(handles.get(i));
                }
            }
            Duration timeout = Duration.ofMinutes(5);
            assertThatCode(() -> pool.pages().allocate(LIMIT / 4, timeout).close())
                    .doesNotThrowAnyException();
        }
    }
}
