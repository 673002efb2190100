package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.HeapOptions;
import io.polder.memory.Zeroing;

import java.lang.foreign.ValueLayout;

/**
 * The parts of a heap that copy objects, without a cycle: a test says what phase a region is in.
 */
abstract class EvacuationFixture extends SpaceFixture {
    static final int GENERATION = 1;

    final Losses losses = new Losses();
    final HandleTable table = new HandleTable();
    final HandleLeaves leaves = new HandleLeaves(table, pages, losses);
    private final HandleClaims claims = new HandleClaims(table, leaves, losses, 1);
    final EvacuationCounts counts = new EvacuationCounts();
    final Pace pace = new Pace(1, counts);

    /** How objects are copied, by a policy, every so-manieth copy failing. */
    Evacuation evacuation(OutOfMemoryPolicy policy, int failEvery) {
        HeapSettings settings =
                HeapSettings.of(HeapOptions.DEFAULT)
                        .withOutOfMemory(policy)
                        .withFailEvery(failEvery);
        return new Evacuation(table, map, new ToSpace(regions, settings), settings, counts, losses);
    }

    /** A region of small objects. */
    Region region() {
        return regions.open(Kind.SMALL);
    }

    /** An object of a word, for which it is its content; returns its index. */
    long object(Region region, long content) {
        long index = claims.claim(0);
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

    /** Settles an object that nobody is going to change: one that is pinned is free to move. */
    static long settle(Evacuation evacuation, long index, int generation) {
        PinCounts pins = evacuation.pins();
        long word = evacuation.settle(index, generation, pins);
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
