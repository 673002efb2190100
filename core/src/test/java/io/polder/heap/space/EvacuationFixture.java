package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.Gate;
import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.HeapOptions;
import io.polder.memory.Zeroing;

import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * The parts of a heap that copy objects, without a cycle: a test says what phase a region is in.
 */
abstract class EvacuationFixture extends SpaceFixture {
    static final int GENERATION = 1;

    final HandleTable table = new HandleTable();
    final HandleLeaves leaves = new HandleLeaves(table, pages);
    private final HandleAllocator handles = new HandleAllocator(table, leaves, 1);
    final EvacuationCounts counts = new EvacuationCounts();
    final Throttle throttle = new Throttle(1, counts);

    /** How objects are copied, by a policy, every so-manieth copy failing. */
    Evacuation evacuation(EvacuationFailurePolicy policy, int failEvery) {
        HeapSettings settings =
                HeapSettings.of(HeapOptions.DEFAULT.withEvacuationFailure(policy))
                        .withFailEvery(failEvery);
        return new Evacuation(table, map, new ToSpace(regions, pages, settings), settings, counts);
    }

    /** The evacuation gate, where the policy is to close it. */
    static Gate gateOf(Evacuation evacuation) {
        return Objects.requireNonNull(evacuation.gate);
    }

    /** A region of small objects. */
    Region region() {
        return regions.open(RegionType.SMALL, RegionType.SMALL.bytes);
    }

    /** An object of a word, for which it is its content; returns its index. */
    long object(Region region, long content) {
        handles.open(0);
        long index = handles.nextFree(0);
        long header = ObjectLayout.header(Long.BYTES, index);
        long address = region.allocate(ObjectLayout.footprint(Long.BYTES), header);
        setContent(address, content);
        long word = HandleWordLayout.of(GENERATION, HandleWordLayout.LIVE, address);
        assertThat(table.compareAndSet(index, 0, word)).isTrue();
        return index;
    }

    long content(long index) {
        long address = HandleWordLayout.address(table.word(index));
        return Zeroing.ADDRESS_SPACE.get(ValueLayout.JAVA_LONG, ObjectLayout.content(address));
    }

    static void setContent(long address, long content) {
        Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_LONG, ObjectLayout.content(address), content);
    }

    /** Has the word of an object in another state. */
    void setState(long index, int state) {
        long word = table.word(index);
        assertThat(table.compareAndSet(index, word, HandleWordLayout.inState(word, state)))
                .isTrue();
    }

    /**
     * Passes the write barrier for an object that nobody is going to change: one that is pinned is
     * free to move.
     */
    static long writeBarrier(Evacuation evacuation, long index, int generation) {
        PinCounts pins = evacuation.pins;
        long word = evacuation.writeBarrier(index, generation, pins);
        if (HandleWordLayout.names(word, generation)
                && HandleWordLayout.state(word) == HandleWordLayout.PINNED) {
            pins.leave(index);
        }
        return word;
    }

    int state(long index) {
        return HandleWordLayout.state(table.word(index));
    }

    Region regionOf(long index) {
        return map.at(HandleWordLayout.address(table.word(index)));
    }

    @Override
    void giveBackMore() {
        leaves.giveUpAll();
    }
}
