package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Await;
import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** The table with its leaves and claims; an address stands for an object. */
class HandleTableTest extends SpaceFixture {
    private final HandleTable table = new HandleTable();
    private final HandleLeaves leaves = new HandleLeaves(table, pages);
    private final HandleAllocator claims = new HandleAllocator(table, leaves, 2);

    private final Throttle throttle = new Throttle(1, new EvacuationCounts());

    @Override
    void giveBackMore() {
        HeapCheck.verify(leaves);
        leaves.giveUpAll();
    }

    /** Takes a slot for an object; returns its index. */
    private long publish(int stripe, long address) {
        while (true) {
            long index = claims.nextFree(stripe);
            if (index == HandleAllocator.NONE) {
                claims.open(stripe);
                continue;
            }
            long free = table.word(index);
            int generation = HandleWordLayout.generation(free) + 1;
            long word = HandleWordLayout.of(generation, HandleWordLayout.LIVE, address);
            if (HandleWordLayout.isReusable(free) && table.compareAndSet(index, free, word)) {
                return index;
            }
        }
    }

    private void free(long index) {
        long word = table.word(index);
        assertThat(
                        table.compareAndSet(
                                index,
                                word,
                                HandleWordLayout.free(HandleWordLayout.generation(word))))
                .isTrue();
        free(index, word);
    }

    private void free(long index, long word) {
        leaves.freed(index, word);
    }

    @Test
    void word_unknownIndex_isFree() {
        assertThat(table.word(0)).isZero();
        assertThat(table.word(HandleLayout.INDEX_MAX)).isZero();
        assertThat(table.wordIfDense(HandleLayout.INDEX_MAX)).isZero();
        assertThat(table.compareAndSet(17, 0, 1)).isFalse();
    }

    /** Who opens a leaf may be outside of the access gate: then nothing keeps the words there. */
    @Test
    void open_tableWasGivenUp_readsNoWord() {
        HandleTable other = new HandleTable();
        HandleLeaves givenUp = new HandleLeaves(other, pages);
        HandleAllocator late = new HandleAllocator(other, givenUp, 1);
        late.open(0);
        givenUp.giveUpAll();
        assertThatThrownBy(() -> late.open(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void claim_everySlotOfNewLeaves_once() {
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < 3 * HandleTable.LEAF_SLOTS; i++) {
            assertThat(seen.add(publish(0, 8L * (i + 1)))).isTrue();
        }
        assertThat(Collections.max(seen)).isEqualTo(3 * HandleTable.LEAF_SLOTS - 1);
    }

    @Test
    void claim_quarterOfALeafFreed_usesItAgain_withTheNextGeneration() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 2 * HandleTable.LEAF_SLOTS; i++) {
            all.add(publish(0, 8));
        }
        for (int i = 0; i < HandleLeaves.REUSED_FROM; i++) {
            free(all.get(i));
        }
        for (int i = 0; i < HandleLeaves.REUSED_FROM; i++) {
            long index = publish(0, 16);
            assertThat(index).isLessThan(HandleLeaves.REUSED_FROM);
            assertThat(HandleWordLayout.generation(table.word(index))).isEqualTo(2);
        }
        assertThat(publish(0, 16)).isGreaterThanOrEqualTo(2 * HandleTable.LEAF_SLOTS);
    }

    @Test
    void claim_slotOutOfGenerations_isNeverUsedAgain() {
        long index = publish(0, 8);
        long word = table.word(index);
        long last = HandleWordLayout.free(HandleWordLayout.GENERATION_MAX);
        assertThat(table.compareAndSet(index, word, last)).isTrue();
        for (int i = 0; i < HandleTable.LEAF_SLOTS; i++) {
            free(index, word); // pretend, so that the leaf is passed again
            assertThat(publish(0, 8)).isNotEqualTo(index);
        }
    }

    /** Has a slot's object be the last one that it can have, and frees that. */
    private void spend(long index) {
        long word = HandleWordLayout.of(HandleWordLayout.GENERATION_MAX, HandleWordLayout.LIVE, 8);
        assertThat(table.compareAndSet(index, table.word(index), word)).isTrue();
        free(index);
    }

    @Test
    void spentLeaf_isNeverPassedAgain() {
        for (int i = 0; i < HandleTable.LEAF_SLOTS; i++) {
            spend(publish(0, 8));
        }
        assertThat(leaves.nextLeaf()).as("a new one").isEqualTo(1);
        assertThat(leaves.rebuild(throttle, () -> false, false)).isTrue();
        assertThat(leaves.nextLeaf()).as("packed, never filled").isEqualTo(1);
        assertThat(leaves.nextLeaf()).isEqualTo(2);
        leaves.give(leaves.unused());
    }

    /** However often leaves are packed and filled again, a slot has each generation once. */
    @Test
    void generationsAtRandom_areUsedOnce_andOthersAreNotSpentWithThem() {
        long seed = Seed.get();
        Seed.naming(seed, () -> generationsAtRandom(new Random(seed)));
    }

    private void generationsAtRandom(Random random) {
        Map<Long, Long> alive = new HashMap<>();
        Map<Long, Integer> last = new HashMap<>();
        Set<Long> spent = new HashSet<>();
        List<Long> indexes = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int choice = random.nextInt(1000);
            if (choice < 480 || indexes.isEmpty()) {
                long index = publish(random.nextInt(2), 8);
                long word = table.word(index);
                int generation = HandleWordLayout.generation(word);
                assertThat(spent).doesNotContain(index);
                assertThat(generation).isGreaterThan(last.getOrDefault(index, 0));
                assertThat(alive.put(index, word)).isNull();
                last.put(index, generation);
                indexes.add(index);
            } else if (choice < 995) {
                int at = random.nextInt(indexes.size());
                long index = indexes.get(at);
                indexes.set(at, indexes.getLast());
                indexes.removeLast();
                assertThat(table.word(index)).isEqualTo(alive.remove(index));
                if (random.nextInt(20) == 0) {
                    spend(index);
                    spent.add(index);
                } else {
                    free(index);
                }
            } else {
                assertThat(leaves.rebuild(throttle, () -> false, false)).isTrue();
                leaves.give(leaves.unused());
            }
        }
        alive.forEach((index, word) -> assertThat(table.word(index)).isEqualTo(word));
        long slots = (long) leaves.leafCount() << HandleTable.SLOT_BITS;
        assertThat(slots)
                .as("as many as are used")
                .isLessThan(4L * (alive.size() + spent.size()) + 4096);
        assertThat(spent).isNotEmpty();
    }

    @Test
    void rebuild_mostFreed_packsAndKeepsEveryWord() {
        Map<Long, Long> words = new HashMap<>();
        List<Long> freed = new ArrayList<>();
        for (int i = 0; i < 2000 * HandleTable.LEAF_SLOTS; i++) {
            long index = publish(0, 8L * (i + 1));
            words.put(index, table.word(index));
        }
        Random random = new Random(1);
        for (long index : List.copyOf(words.keySet())) {
            if (random.nextInt(20) != 0) {
                free(index);
                words.remove(index);
                freed.add(index);
            }
        }
        long before = leaves.pageBytes();
        assertThat(leaves.rebuild(throttle, () -> false, false)).isTrue();
        leaves.give(leaves.unused());
        HeapCheck.verify(leaves);
        assertThat(leaves.pageBytes()).isLessThan(before / 3);
        words.forEach((index, word) -> assertThat(table.word(index)).isEqualTo(word));
        for (long index : freed) {
            assertThat(HandleWordLayout.state(table.word(index))).isEqualTo(HandleWordLayout.FREE);
        }
        // Freed slots are used again, and not with a generation they had.
        for (int i = 0; i < 10_000; i++) {
            long index = publish(1, 8);
            assertThat(words).doesNotContainKey(index);
            assertThat(HandleWordLayout.generation(table.word(index))).isEqualTo(2);
        }
        words.forEach((index, word) -> assertThat(table.word(index)).isEqualTo(word));
    }

    @Test
    void compareAndSet_whileLeavesMove_losesNothing() throws Exception {
        int slots = 64 * HandleTable.LEAF_SLOTS;
        for (int i = 0; i < slots; i++) {
            long _ = publish(0, 8);
        }
        AtomicBoolean stop = new AtomicBoolean();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            int seed = t;
            threads.add(
                    Thread.ofPlatform()
                            .uncaughtExceptionHandler((_, e) -> failures.add(e))
                            .start(() -> increment(new Random(seed), slots)));
        }
        Thread mover =
                Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, e) -> failures.add(e))
                        .start(
                                () -> {
                                    while (!stop.get()) {
                                        // Kept to the end: nobody awaits the others here.
                                        assertThat(leaves.rebuild(throttle, () -> false, false))
                                                .isTrue();
                                    }
                                    leaves.give(leaves.unused());
                                });
        for (Thread thread : threads) {
            Await.end(thread);
        }
        stop.set(true);
        Await.end(mover);
        assertThat(failures).isEmpty();
        long sum = 0;
        for (int i = 0; i < slots; i++) {
            sum += HandleWordLayout.address(table.word(i)) / 8 - 1;
        }
        assertThat(sum).isEqualTo(2 * INCREMENTS);
    }

    @Test
    void rebuild_whileLeavesAreAdded_leavesNoneBehind() throws Exception {
        int leavesBefore = 500;
        for (int i = 0; i < leavesBefore * HandleTable.LEAF_SLOTS; i++) {
            long _ = publish(0, 8);
        }
        AtomicBoolean stop = new AtomicBoolean();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        Thread publisher =
                Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, e) -> failures.add(e))
                        .start(
                                () -> {
                                    while (!stop.get()) {
                                        long _ = publish(0, 8);
                                    }
                                });
        for (int i = 0;
                (i < REBUILDS_MAX && leaves.leafCount() < 4 * leavesBefore)
                        || (publisher.isAlive() && leaves.leafCount() <= leavesBefore + 1);
                i++) {
            // Kept to the end: nobody awaits the publisher here.
            assertThat(leaves.rebuild(throttle, () -> false, false)).isTrue();
        }
        stop.set(true);
        Await.end(publisher);
        assertThat(failures).isEmpty();
        assertThat(leaves.leafCount()).isGreaterThan(leavesBefore + 1);

        HeapCheck.verify(leaves);

        leaves.give(leaves.unused());
        HeapCheck.verify(leaves);
        for (int i = 0; i < leavesBefore * HandleTable.LEAF_SLOTS; i++) {
            assertThat(HandleWordLayout.address(table.word(i))).isEqualTo(8);
        }
    }

    /**
     * A move of a leaf that was cut off: its words are frozen, and nobody is about to thaw them.
     */
    private void freezeLeaf(int leaf) {
        for (int slot = 0; slot < HandleTable.LEAF_SLOTS; slot++) {
            long at = table.wordAddress(((long) leaf << HandleTable.SLOT_BITS) + slot);
            RawAccess.setRelease(at, HandleWordLayout.frozen(RawAccess.getAcquire(at)));
        }
    }

    private long frozenWords() {
        long frozen = 0;
        for (long index = 0; index < (long) leaves.leafCount() << HandleTable.SLOT_BITS; index++) {
            long at = table.wordAddress(index);
            frozen += at != 0 && HandleWordLayout.isFrozen(RawAccess.getAcquire(at)) ? 1 : 0;
        }
        return frozen;
    }

    @Test
    void compareAndSet_moveCutOff_thawsTheLeaf() {
        long index = publish(0, 8);
        long word = table.word(index);
        freezeLeaf(0);
        assertThat(table.word(index)).isEqualTo(word);
        assertThat(table.compareAndSet(index, 0, word)).isFalse();
        assertThat(table.compareAndSet(index, word, HandleWordLayout.movedTo(word, 16))).isTrue();
        assertThat(frozenWords()).isZero();
    }

    @Test
    void rebuild_moveCutOffBefore_leavesNothingFrozen() {
        long index = publish(0, 8);
        long word = table.word(index);
        freezeLeaf(0);
        assertThat(leaves.rebuild(throttle, () -> false, false)).isTrue();
        assertThat(frozenWords()).isZero();
        assertThat(table.word(index)).isEqualTo(word);
        leaves.give(leaves.unused());
    }

    /** Slots that a pass does not see any more, since their leaf was packed, are not forgotten. */
    @Test
    void rebuild_leafBeingPassed_isPassedAgain() {
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < HandleTable.LEAF_SLOTS; i++) {
            if (i == 10) {
                assertThat(leaves.rebuild(throttle, () -> false, false)).isTrue();
            }
            assertThat(seen.add(publish(0, 8))).isTrue();
        }
        assertThat(leaves.leafCount()).isEqualTo(1);
        leaves.give(leaves.unused());
        HeapCheck.verify(leaves);
    }

    private static final int REBUILDS_MAX = 200;
    private static final int INCREMENTS = 50_000;

    /** Counts in the addresses. */
    private void increment(Random random, int slots) {
        for (int i = 0; i < INCREMENTS; ) {
            long index = random.nextInt(slots);
            long word = table.word(index);
            long next = HandleWordLayout.movedTo(word, HandleWordLayout.address(word) + 8);
            if (table.compareAndSet(index, word, next)) {
                i++;
            }
        }
    }

    @Test
    void verify_leafOutsideThePages_complains() {
        long _ = publish(0, 8);
        long entry = table.entry(0);
        table.setEntryLocked(0, 8);
        assertThatThrownBy(() -> HeapCheck.verify(leaves))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a leaf lies in a page");
        table.setEntryLocked(0, entry);
    }
}
