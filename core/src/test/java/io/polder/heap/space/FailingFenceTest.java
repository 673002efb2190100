package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.heap.RelocatingHeap;
import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicInteger;

/** A heap whose fence of all threads fails while the heap is closed. */
class FailingFenceTest extends HeapFixture {
    private static final int OBJECTS = 10_000;
    private static final int FAILURES = 3;

    private final ProcessFence process = ProcessFence.ofThisProcess();
    private final AtomicInteger failures = new AtomicInteger();

    private void fence() {
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IllegalStateException("the fence fails");
        }
        process.run();
    }

    @Test
    void close_fenceFails_canBeClosedAgainAndLosesNothing() {
        HeapSettings usual = HeapVariant.USUAL.settings();
        RelocatingHeap heap =
                heap(
                        pages(256 * MIB),
                        new HeapSettings(
                                usual.options(), this::fence, 0, false, 0, usual.threads()));
        long handle = 0;
        for (int i = 0; i < OBJECTS; i++) {
            handle = heap.allocate(1 + i % KIB);
        }
        failures.set(FAILURES);
        for (int i = 0; i < FAILURES; i++) {
            assertThatThrownBy(heap::close).hasMessage("the fence fails");
        }
        assertThat(failures).hasValue(0);
        heap.close(); // and the fixture looks whether all pages came back
        assertThatIllegalStateException().isThrownBy(() -> heap.allocate(1));
        long last = handle;
        assertThatIllegalStateException().isThrownBy(() -> heap.free(last));
    }
}
