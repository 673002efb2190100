package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** More blocks move at one time than are expected to. */
class InTransitTest extends BlockFixture {
    /** Nobody waits for a word: whoever has one may wait for what the other one has. */
    @Test
    void take_moreThanExpected_areAllOfTheirOwn() {
        InTransit transit = new InTransit(space());
        Set<Integer> taken = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            assertThat(taken.add(transit.take())).as("of its own").isTrue();
        }
        taken.forEach(number -> put(transit, number, 0));
        int parts = transit.parts.length;
        for (int i = 0; i < 1000; i++) {
            assertThat(taken).contains(transit.take());
        }
        assertThat(transit.parts.length).isEqualTo(parts);
    }

    @Test
    void reclaim_leftInALaterPart_isFreed() {
        BlockSpace space = space();
        InTransit transit = new InTransit(space);
        int number = 0;
        for (int i = 0; i < 200; i++) {
            number = transit.take();
        }
        assertThat(number).isGreaterThan(InTransit.PART_MASK);
        put(transit, number, space.allocate(100) | InTransit.LEFT);
        transit.owes = true;
        transit.reclaim();
        assertThat(transit.owes).isFalse();
        assertThat(space.sizes()).allSatisfy(each -> assertThat(each.usedCount()).isZero());
    }

    private static void put(InTransit transit, int number, long word) {
        transit.parts[number >>> InTransit.PART_BITS][number & InTransit.PART_MASK] = word;
    }

    /** Where those who wait for one kept the carriers, nobody would go on. */
    @Test
    void reallocate_byManyVirtualThreads_goesOn() throws Exception {
        BlockSpace space = space();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            threads.add(Thread.ofVirtual().start(() -> growAndShrink(space)));
        }
        for (Thread each : threads) {
            each.join();
        }
    }

    private static void growAndShrink(BlockSpace space) {
        for (int round = 0; round < 50; round++) {
            long block = space.allocate(100);
            for (long bytes = 1000; bytes <= 100_000; bytes *= 10) {
                block = space.reallocate(block, bytes);
            }
            space.free(space.reallocate(block, 10));
        }
    }
}
