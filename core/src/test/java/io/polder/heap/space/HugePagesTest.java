package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

/** A large heap asks for huge pages, once for each reservation; a small one does not. */
class HugePagesTest extends HeapFixture {
    private static final long LARGE = 32 * MIB;
    private static final int EINVAL = 22;

    private RelocatingHeap heap(PageSpace pages) {
        return heap(pages, HeapVariant.USUAL.settings().withReserve(true));
    }

    @Test
    void small_asksForNone() {
        RelocatingHeap heap = heap(pages(512 * MIB));
        for (long bytes = 0; bytes < LARGE - 12 * MIB; bytes += MIB) {
            assertThat(heap.tryAllocate(MIB - 64)).isNotZero();
        }
        assertThat(provider.calls(Call.ADVISE)).isZero();
    }

    @Test
    void large_asksOncePerReservation() {
        RelocatingHeap heap = heap(pages(512 * MIB));
        for (long bytes = 0; bytes < 2 * LARGE; bytes += MIB) {
            assertThat(heap.tryAllocate(MIB - 64)).isNotZero();
        }
        assertThat(provider.calls(Call.ADVISE)).isEqualTo(provider.calls(Call.RESERVE)).isOne();
    }

    @Test
    void refused_harmsNothing() {
        provider.failAlways(Call.ADVISE, EINVAL);
        RelocatingHeap heap = heap(pages(512 * MIB));
        long[] handles = objects(heap, (int) (2 * LARGE / MIB), MIB - 64);
        assertThat(provider.calls(Call.ADVISE)).isOne();
        checkThinned(heap, handles, 1);
    }
}
