package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.arena.TestScale;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.concurrent.atomic.AtomicInteger;

/** Compaction that is cut off by the end of the stack, wherever that is. */
class CompactionDeepTest extends HeapFixture {
    private static final long STACK_BYTES = 256 * KIB;

    /** From the end of the stack upwards: so many calls, each with a little more stack left. */
    private static final int FRAMES = 400;

    private static final int OBJECTS = 4000;
    private static final int KEEP = 8;
    private static final int ROUNDS = TestScale.of(5, 20);

    /** Often: where a stack ends depends on what is compiled. */
    @Override
    void checkAtRest(HeapSpace heap) {
        HeapCheck.verifyAfterErrors(heap);
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void compactNearTheEndOfTheStack_nextOneEndsWhatWasBegun(HeapVariant variant)
            throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            compactNearTheEndOfTheStack(variant);
        }
    }

    private void compactNearTheEndOfTheStack(HeapVariant variant) throws InterruptedException {
        RelocatingHeap heap = heap(variant, 256 * MIB);
        long[] handles = objects(heap, OBJECTS, 2 * KIB);
        thin(heap, handles, KEEP);
        AtomicInteger cutOff = new AtomicInteger();
        Thread deep =
                new Thread(
                        null,
                        () -> {
                            int _ = fromTheEnd(() -> compact(heap, cutOff));
                        },
                        "deep",
                        STACK_BYTES);
        deep.start();
        Await.end(deep);
        assertThat(cutOff.get()).as("cut off").isPositive();
        for (int i = 0; i < handles.length; i += KEEP) {
            setWord(heap, handles[i], i);
        }
        long _ = heap.compact();
        checkAtRest(space(heap));
        assertThat(HeapCheck.counts(space(heap)).regions())
                .as("live: %s", heap.stats())
                .isLessThan(4);
        checkThinned(heap, handles, KEEP);
        long[] more = objects(heap, OBJECTS, 2 * KIB);
        thin(heap, more, KEEP);
        assertThat(heap.compact()).as("goes on").isPositive();
        checkThinned(heap, more, KEEP);
    }

    private static void compact(RelocatingHeap heap, AtomicInteger cutOff) {
        try {
            long _ = heap.compact();
        } catch (StackOverflowError expected) {
            cutOff.incrementAndGet();
        }
    }

    /** Goes to the end of the stack, and runs something in each of the last frames. */
    @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
    private static int fromTheEnd(Runnable run) {
        int above;
        try {
            above = fromTheEnd(run);
        } catch (StackOverflowError end) {
            above = 0;
        }
        if (above < FRAMES) {
            try {
                run.run();
            } catch (StackOverflowError end) {
                return 0;
            }
        }
        return above + 1;
    }
}
