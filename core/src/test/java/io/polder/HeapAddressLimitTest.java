package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** A heap that is full because its pool may reserve no more addresses is compacted as any other. */
class HeapAddressLimitTest {
    private static final long MIB = 1 << 20;

    @ParameterizedTest
    @ValueSource(longs = {64, 128, 256})
    void allocate_addressesAreUsedUp_hasDeadObjectsCompacted(long limitMib) {
        try (MemoryPool pool = MemoryPool.builder().reservedMaxBytes(limitMib * MIB).build();
                RelocatingHeap heap = pool.openHeap()) {
            List<Long> handles = new ArrayList<>();
            for (long handle; (handle = heap.tryAllocate(1000)) != 0; ) {
                handles.add(handle);
            }
            long freed = 0;
            for (int i = 0; i < handles.size(); i++) {
                if (i % 10 != 0) {
                    heap.free(handles.get(i));
                    freed++;
                }
            }
            long again = 0;
            while (again < freed && heap.tryAllocate(1000) != 0) {
                again++;
            }
            assertThat(again).isGreaterThan(freed * 4 / 5);
        }
    }

    /** A page of the table and two regions are all that it gets; what is missing is a reserve. */
    @Test
    void allocate_addressesAreUsedUpAndTheReserveIsMissing_namesTheirLimit() {
        long limit = 64 * MIB;
        try (MemoryPool pool =
                        MemoryPool.builder().reservedMaxBytes(limit).logExhaustion(false).build();
                Page others = pool.pages().allocate(limit - 6 * MIB);
                RelocatingHeap heap = pool.openHeap()) {
            assertThat(others.bytes()).isEqualTo(limit - 6 * MIB);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(
                            () -> {
                                while (true) {
                                    long _ = heap.allocate(1000);
                                }
                            })
                    .withMessageContaining("reservedMaxBytes=" + limit)
                    .withMessageContaining("keptFreeBytes=" + 2 * MIB);
        }
    }
}
