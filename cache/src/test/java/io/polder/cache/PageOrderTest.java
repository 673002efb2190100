package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.MemoryPool;
import io.polder.cache.PageOrder.Group;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Entries are named page by page, each to one thread. */
class PageOrderTest {
    private static final int BYTES = 1000;
    private static final int OBJECTS = 10_000;
    private static final long PAGE_OF_ITS_OWN = 5 << 20;

    private final MemoryPool pool = MemoryPool.builder().name("page-order").build();

    /** It compacts when it is told to. */
    private final RelocatingHeap heap = pool.openHeap(HeapOptions.DEFAULT.withCompactionShare(0));

    @AfterEach
    void close() {
        heap.close();
        pool.close();
    }

    private void fill() {
        long[] handles = new long[OBJECTS];
        heap.allocateAll(BYTES, handles);
        heap.free(heap.allocate(PAGE_OF_ITS_OWN));
        long _ = heap.compact(); // and sees full pages
    }

    /** What the heap names now. */
    private List<Long> named() {
        List<Long> all = new ArrayList<>();
        long[] handles = new long[100];
        long position = -1;
        for (long next = 0; next != position; ) {
            position = next;
            next = heap.nextOldest(position, handles);
            Arrays.stream(handles).filter(handle -> handle != 0).forEach(all::add);
        }
        return all;
    }

    /** Passes what there is, at most so many. */
    private static List<Long> passed(PageOrder order, int most) {
        List<Long> all = new ArrayList<>();
        for (Group group = order.group(); group != null && all.size() < most; ) {
            int turn = group.turn();
            long handle = group.handle(turn);
            if (handle != 0 && group.pass(turn)) {
                all.add(handle);
            }
            group = handle == 0 ? order.group() : group;
        }
        return all;
    }

    @Test
    void group_queue_namesEachOnceAndGoesOnWhenThereIsMore() {
        PageOrder order = new PageOrder(heap, false);
        assertThat(order.group()).isNull();
        fill();
        List<Long> first = named();
        assertThat(first).hasSizeGreaterThan(OBJECTS / 2);
        assertThat(passedLater(order)).isEqualTo(first);
        assertThat(order.group()).isNull();
        fill();
        List<Long> both = named();
        assertThat(passedLater(order)).isEqualTo(both.subList(first.size(), both.size()));
    }

    /** The heap is not asked each time. */
    private static List<Long> passedLater(PageOrder order) {
        List<Long> all = List.of();
        for (int i = 0; i < 1000 && all.isEmpty(); i++) {
            all = passed(order, Integer.MAX_VALUE);
        }
        return all;
    }

    @Test
    void group_ring_beginsAgain() {
        fill();
        List<Long> all = named();
        List<Long> twice = new ArrayList<>(all);
        twice.addAll(all);
        assertThat(passed(new PageOrder(heap, true), 2 * all.size())).isEqualTo(twice);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void pass_byThreads_isDoneOnceForEach(int threads) throws Exception {
        fill();
        List<Long> all = named();
        PageOrder order = new PageOrder(heap, false);
        Map<Long, Boolean> seen = new ConcurrentHashMap<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<List<Long>>> each = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                each.add(executor.submit(() -> passed(order, Integer.MAX_VALUE)));
            }
            for (Future<List<Long>> one : each) {
                for (long handle : one.get()) {
                    assertThat(seen.put(handle, true)).as("passed once").isNull();
                }
            }
        }
        assertThat(seen).hasSameSizeAs(all);
    }
}
