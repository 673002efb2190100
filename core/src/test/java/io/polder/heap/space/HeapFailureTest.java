package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.heap.RelocatingHeap;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.OsCallException;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;

/** The operating system refuses memory: the error says so, nothing is lost, the next works. */
class HeapFailureTest extends HeapFixture {
    private static final int OBJECTS = 9000;
    private static final int KEEP = 6;

    /** The same story with each single call of a type failing once. */
    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"RESERVE", "COMMIT", "UNCOMMIT", "RELEASE", "REMAP"})
    void anyCall_failing_losesNothing(Call call) {
        long failing = 0;
        long failuresBefore;
        do {
            failing++;
            failuresBefore = provider.failures(call);
            provider.fail(call, failing, Errno.ENOMEM);
            story();
            provider.heal();
        } while (provider.failures(call) > failuresBefore && failing < 60);
        assertThat(failing).as("how many calls there are, and one").isGreaterThan(0);
    }

    private void story() {
        PageSpace pages = pages(128 * MIB);
        RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings());
        List<Long> handles = new ArrayList<>();
        int refused = 0;
        while (handles.size() < OBJECTS) {
            try {
                handles.add(heap.allocate(KIB));
                setWord(heap, handles.getLast(), handles.size() - 1);
            } catch (OutOfMemoryError error) {
                assertThat(error)
                        .hasMessageContaining("injected")
                        .hasRootCauseInstanceOf(OsCallException.class);
                refused++;
            }
        }
        assertThat(refused).isLessThanOrEqualTo(1);
        long[] all = handles.stream().mapToLong(Long::longValue).toArray();
        thin(heap, all, KEEP);
        heap.compact();
        checkThinned(heap, all, KEEP);
        long medium = allocateTwice(heap, 3 * MIB);
        long large = allocateTwice(heap, 9 * MIB);
        long _ = heap.compact();
        long _ = pages.trim();
        checkThinned(heap, all, KEEP);
        heap.free(medium);
        heap.free(large);
        HeapCheck.verifyAtRest(space(heap));
        heap.close();
        assertThat(pages.statistics().takenBytes()).isZero();
    }

    /** The second time works if the first does not. */
    private static long allocateTwice(RelocatingHeap heap, long bytes) {
        try {
            return heap.allocate(bytes);
        } catch (OutOfMemoryError refused) {
            assertThat(refused).hasMessageContaining("injected");
            return heap.allocate(bytes);
        }
    }

    /** No page for copies, however often it is asked for: cycles end early, objects stay. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void cycleWithoutMemory_endsEarlyAndLosesNothing(HeapVariant variant) {
        RelocatingHeap heap = heap(pages(1024 * MIB), variant.settings());
        long[] handles = objects(heap, OBJECTS, KIB);
        thin(heap, handles, 2);
        provider.failAlways(Call.RESERVE, Errno.ENOMEM);
        provider.failAlways(Call.COMMIT, Errno.ENOMEM);
        List<Long> filling = new ArrayList<>();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(
                        () -> {
                            while (true) {
                                filling.add(heap.allocate(100 * KIB));
                            }
                        })
                .withMessageContaining("injected");
        for (int round = 0; round < 5; round++) {
            heap.compact();
            checkThinned(heap, handles, 2);
            setWord(heap, handles[2], 2);
        }
        HeapCheck.verifyAtRest(space(heap));
        provider.heal();
        filling.forEach(heap::free);
        assertThat(heap.compact()).isPositive();
        checkThinned(heap, handles, 2);
    }
}
