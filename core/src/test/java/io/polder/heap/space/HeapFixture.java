package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.background.Background;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.Exhaustion;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.PageCheck;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes heaps; after each test checks them, closes them and looks for leaks. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class HeapFixture {
    static final long KIB = 1 << 10;
    static final long MIB = 1 << 20;

    /** The largest object that shares a region with many others. */
    static final long SMALL_MAX = 256 * KIB;

    /** The largest object that can move. */
    static final long MEDIUM_MAX = 4 * MIB;

    final FailingMemoryProvider provider = new FailingMemoryProvider(Providers.choose().provider());
    final Background background = new Background("test-heap");

    private record Pages(PageSpace space, MemoryBudget budget) {}

    private final List<HeapSpace> heaps = new ArrayList<>();
    private final List<Pages> pages = new ArrayList<>();

    /** Pages whose free memory stays committed for the time of a test. */
    PageSpace pages(long committedMaxBytes) {
        return pages(new MemoryLimits(committedMaxBytes, MemoryLimits.ADDRESS_SPACE_BYTES));
    }

    /** The same within limits. */
    PageSpace pages(MemoryLimits limits) {
        MemoryBudget budget = new MemoryBudget(limits, "");
        PageSettings settings = new PageSettings(TimeUnit.DAYS.toNanos(1), false, false);
        PageSpace space =
                new PageSpace(provider, budget, background, settings, Exhaustion.IGNORED, null);
        pages.add(new Pages(space, budget));
        return space;
    }

    /** A heap with pages of its own. */
    RelocatingHeap heap(HeapVariant variant, long committedMaxBytes) {
        return heap(pages(committedMaxBytes), variant.settings().withReserve(true));
    }

    RelocatingHeap heap(PageSpace pageSpace, HeapSettings settings) {
        return heap(pageSpace, settings, Exhaustion.IGNORED);
    }

    RelocatingHeap heap(PageSpace pageSpace, HeapSettings settings, Exhaustion exhaustion) {
        HeapSpace space = new HeapSpace(pageSpace, settings, exhaustion);
        heaps.add(space);
        return space;
    }

    /** The heap that users get, but for compaction, with room enough. */
    RelocatingHeap heap() {
        return heap(HeapVariant.USUAL, 512 * MIB);
    }

    /** Where the memory of the heap comes from that was made last. */
    PageSpace pagesOf(RelocatingHeap heap) {
        assertThat(heap).isSameAs(heaps.getLast());
        return pages.getLast().space();
    }

    /** What is behind a heap. */
    static HeapSpace space(RelocatingHeap heap) {
        return (HeapSpace) heap;
    }

    /** The bytes of a number, eight of them. */
    static MemorySegment word(long value) {
        return MemorySegment.ofArray(new long[] {value});
    }

    /** The first eight bytes of an object. */
    static long wordOf(RelocatingHeap heap, long handle) {
        return heap.read(handle, bytes -> bytes.get(ValueLayout.JAVA_LONG, 0));
    }

    static void setWord(RelocatingHeap heap, long handle, long value) {
        heap.update(handle, bytes -> bytes.set(ValueLayout.JAVA_LONG, 0, value));
    }

    /** Many objects of one size, each beginning with its index. */
    static long[] objects(RelocatingHeap heap, int count, long bytes) {
        long[] handles = new long[count];
        for (int i = 0; i < count; i++) {
            handles[i] = heap.allocate(bytes);
            setWord(heap, handles[i], i);
        }
        return handles;
    }

    /** Frees each object whose index is not a multiple of {@code keep}. */
    static void thin(RelocatingHeap heap, long[] handles, int keep) {
        for (int i = 0; i < handles.length; i++) {
            if (i % keep != 0) {
                heap.free(handles[i]);
            }
        }
    }

    /** Looks that each object left by {@link #thin} begins with its index. */
    static void checkThinned(RelocatingHeap heap, long[] handles, int keep) {
        for (int i = 0; i < handles.length; i += keep) {
            assertThat(wordOf(heap, handles[i])).isEqualTo(i);
        }
    }

    private static boolean isOpen(RelocatingHeap heap) {
        try {
            return !heap.isLive(0);
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    void checkAtRest(HeapSpace heap) {
        HeapCheck.verifyAtRest(heap);
    }

    @AfterEach
    void nothingIsLeft() {
        provider.heal();
        for (HeapSpace heap : heaps) {
            if (isOpen(heap)) {
                checkAtRest(heap);
            }
            heap.close();
        }
        for (Pages each : pages) {
            PageCheck.verifyAtRest(each.space());
            assertThat(each.space().statistics().takenBytes()).as("taken by heaps").isZero();
            each.space().close();
            assertThat(each.budget().committed.bytes()).as("committed").isZero();
            assertThat(each.budget().reserved.bytes()).as("reserved").isZero();
        }
        assertThat(provider.reservedBytes()).as("reserved from the system").isZero();
    }
}
