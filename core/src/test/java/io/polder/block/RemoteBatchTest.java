package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.gate.ScriptedThread;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** What a thread has freed of another one's is free, whether or not it is with its span yet. */
class RemoteBatchTest extends BlockFixture {
    private static final int ROUNDS = 30;

    private static List<Long> allocate(BlockSpace space, int count, long bytes) {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            blocks.add(space.allocate(bytes));
        }
        return blocks;
    }

    /** A thread that has something itself, so that it may collect what it frees. */
    private static ScriptedThread freer(BlockSpace space) {
        ScriptedThread freer = ScriptedThread.platform();
        freer.run(() -> space.free(space.allocate(40)));
        return freer;
    }

    private static long usedCount(BlockSpace space) {
        return space.sizes().stream().mapToLong(SizeTotals::usedCount).sum();
    }

    private static int batched(BlockSpace space) {
        return space.owners.all().stream()
                .mapToInt(owner -> owner.batch.span == null ? 0 : owner.batch.count)
                .sum();
    }

    /** Sizes, counts and orders at random: nothing counts as used, and a trim finds it all. */
    @Test
    void free_byAThreadThatSleeps_isFreeForAll() {
        long seed = Seed.get();
        Seed.naming(seed, () -> freeAndSleep(space(), new Random(seed)));
    }

    private void freeAndSleep(BlockSpace space, Random random) {
        try (ScriptedThread freer = freer(space)) {
            for (int round = 0; round < ROUNDS; round++) {
                List<Long> blocks = new ArrayList<>();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    long bytes = 1L << random.nextInt(14);
                    blocks.addAll(allocate(space, 1 + random.nextInt(200), bytes));
                }
                if (random.nextBoolean()) {
                    Collections.shuffle(blocks, random);
                }
                freer.run(() -> blocks.forEach(space::free));
                assertThat(usedCount(space)).isZero();
                BlockCheck.verifyAtRest(space);
                if (random.nextBoolean()) {
                    trim(parts(space));
                    assertThat(committedBytes(space)).isZero();
                }
            }
        }
    }

    /** One alone, the first and the last of a batch, and the first of the next. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, RemoteBatch.COUNT_MAX + 1, RemoteBatch.COUNT_MAX + 2})
    void free_twiceInARow_isRefused(int count) {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, count + 1, 64);
        try (ScriptedThread freer = freer(space)) {
            freer.run(() -> blocks.subList(0, count).forEach(space::free));
            assertThat(batched(space))
                    .isEqualTo(count == 1 ? 0 : 1 + (count - 2) % RemoteBatch.COUNT_MAX);
            long last = blocks.get(count - 1);
            freer.run(
                    () -> assertThatIllegalArgumentException().isThrownBy(() -> space.free(last)));
            assertThat(usedCount(space)).isOne();
            freer.run(() -> space.free(blocks.getLast()));
        }
        assertThat(usedCount(space)).isZero();
    }

    @Test
    void tick_freerSleeps_givesBackWhatItFreed() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 10, 500);
        try (ScriptedThread freer = freer(space)) {
            int before = told.get();
            freer.run(() -> blocks.forEach(space::free));
            assertThat(told.get()).as("ticks are asked for").isGreaterThan(before);
            assertThat(batched(space)).as("the first is free at once").isEqualTo(9);
            int ticks = 0;
            while (space.tick()) {
                assertThat(++ticks).isLessThan(6);
            }
            assertThat(parts(space).chunks().statistics().usedBytes()).isZero();
            freer.run(() -> space.free(space.allocate(500)));
        }
    }

    /** Who is revoked collects again with its next free, and asks for ticks. */
    @Test
    void free_afterATrim_isCollectedAgain() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 100, 64);
        try (ScriptedThread freer = freer(space)) {
            freer.run(() -> blocks.subList(0, 10).forEach(space::free));
            long _ = space.trim();
            assertThat(batched(space)).isZero();
            int before = told.get();
            freer.run(() -> blocks.subList(10, 20).forEach(space::free));
            assertThat(batched(space)).isEqualTo(10);
            assertThat(told.get()).isGreaterThan(before);
            freer.run(() -> blocks.subList(20, 100).forEach(space::free));
        }
    }

    @Test
    void allocate_limitReached_hasWhatAThreadFreedThatSleeps() {
        BlockSpace space = space(4 * MIB);
        List<Long> blocks = allocate(space, 6000, 512);
        try (ScriptedThread freer = freer(space)) {
            for (int round = 0; round < 3; round++) {
                List<Long> before = List.copyOf(blocks);
                freer.run(() -> before.forEach(space::free));
                blocks.clear();
                blocks.addAll(allocate(space, 6000, 512));
            }
            blocks.forEach(space::free);
            long whole = space.allocate(3 * MIB);
            space.free(whole);
        }
    }

    /** Blocks of which no two in a row are of one span are free at once. */
    @Test
    void free_spansInTurn_isNotCollected() {
        BlockSpace space = space();
        List<Long> small = allocate(space, 50, 64);
        List<Long> others = allocate(space, 50, 1000);
        try (ScriptedThread freer = freer(space)) {
            for (int i = 0; i < 50; i++) {
                long first = small.get(i);
                long second = others.get(i);
                freer.run(
                        () -> {
                            space.free(first);
                            space.free(second);
                        });
            }
        }
        assertThat(batched(space)).isZero();
        assertThat(usedCount(space)).isZero();
    }

    /** A thread that only frees has something itself when it has freed much. */
    @Test
    void free_byAThreadThatOnlyFrees_isCollectedFromSomeOn() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 200, 64);
        try (ScriptedThread freer = ScriptedThread.platform()) {
            freer.run(() -> blocks.subList(0, 10).forEach(space::free));
            assertThat(space.owners.known.size()).isOne();
            freer.run(() -> blocks.subList(10, 100).forEach(space::free));
            assertThat(space.owners.known.size()).isEqualTo(2);
            assertThat(batched(space)).isPositive();
            freer.run(() -> blocks.subList(100, 200).forEach(space::free));
        }
        assertThat(usedCount(space)).isZero();
    }

    /** What a thread left that has ended serves who allocates, and not who only frees. */
    @Test
    void free_byAThreadThatOnlyFrees_inheritsNothing() throws Exception {
        BlockSpace space = space(4 * MIB);
        List<Long> blocks = new ArrayList<>();
        Thread ended = Thread.ofPlatform().start(() -> blocks.addAll(allocate(space, 10_000, 256)));
        Await.end(ended);
        List<Long> half = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i += 2) {
            half.add(blocks.get(i));
        }
        try (ScriptedThread freer = ScriptedThread.platform()) {
            freer.run(() -> half.forEach(space::free));
            assertThat(space.owners.known.size()).isEqualTo(2);
            List<Long> next = new ArrayList<>();
            Thread heir =
                    Thread.ofPlatform().start(() -> next.addAll(allocate(space, half.size(), 256)));
            Await.end(heir);
            assertThat(next).as("there is room for as many as were freed").hasSameSizeAs(half);
            next.forEach(space::free);
        }
        for (int i = 1; i < blocks.size(); i += 2) {
            space.free(blocks.get(i));
        }
    }

    /** What a program frees twice is dropped, so that nobody's memory is written to. */
    @Test
    void trim_ownerFreedWhatIsInABatch_touchesNothing() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 8, 500);
        try (ScriptedThread freer = freer(space)) {
            freer.run(() -> blocks.subList(0, 2).forEach(space::free));
            assertThat(batched(space)).isOne();
            assertThat(space.allocate(500)).as("it was free at once").isEqualTo(blocks.getFirst());
            blocks.forEach(space::free); // the second one again
            long _ = space.trim();
            assertThat(batched(space)).isZero();
        }
        trim(parts(space));
        assertThat(committedBytes(space)).isZero();
    }

    @Test
    void free_byAVirtualThread_isNotCollected() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 200, 64);
        try (ScriptedThread freer = ScriptedThread.virtual()) {
            freer.run(() -> blocks.forEach(space::free));
        }
        assertThat(batched(space)).isZero();
    }

    @Test
    void adopt_threadEndedWithABatch_handsItOn() throws Exception {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 100, 64);
        Thread freer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    space.free(space.allocate(40));
                                    blocks.subList(0, 30).forEach(space::free);
                                });
        Await.end(freer);
        assertThat(batched(space)).isEqualTo(29);
        Thread heir =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    space.free(space.allocate(40));
                                    blocks.subList(30, 40).forEach(space::free);
                                });
        Await.end(heir);
        assertThat(batched(space)).isEqualTo(39);
        BlockCheck.verifyAtRest(space);
        blocks.subList(40, 100).forEach(space::free);
        trim(parts(space));
        assertThat(committedBytes(space)).isZero();
    }

    /** The span's owner has ended, and who has freed blocks of it takes it over. */
    @Test
    void adopt_spanOfWhichTheHeirHasABatch_losesNothing() throws Exception {
        BlockSpace space = space();
        try (ScriptedThread heir = freer(space)) {
            List<Long> blocks = new ArrayList<>();
            Thread owner = Thread.ofPlatform().start(() -> blocks.addAll(allocate(space, 50, 500)));
            Await.end(owner);
            heir.run(() -> blocks.subList(0, 5).forEach(space::free));
            assertThat(batched(space)).isEqualTo(4);
            List<Long> next = heir.call(() -> allocate(space, 64, 500));
            assertThat(space.map.find(blocks.getLast()).owner.threadId)
                    .as("it has taken the span over")
                    .isEqualTo(heir.thread().threadId());
            assertThat(next)
                    .doesNotHaveDuplicates()
                    .doesNotContainAnyElementsOf(blocks.subList(5, 50));
            BlockCheck.verifyAtRest(space);
            heir.run(() -> blocks.subList(5, 50).forEach(space::free));
            heir.run(() -> next.forEach(space::free));
        }
        assertThat(usedCount(space)).isZero();
    }

    @Test
    void close_withABatch_leavesNoSpan() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 20, 64);
        try (ScriptedThread freer = freer(space)) {
            freer.run(() -> blocks.subList(0, 10).forEach(space::free));
            space.close();
            assertThat(batched(space)).isZero();
            freer.run(() -> blocks.subList(10, 20).forEach(space::free));
            assertThat(batched(space)).isZero();
            long _ = space.trim();
            assertThat(space.hasSpans()).isFalse();
        }
    }
}
