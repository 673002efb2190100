package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.arena.Seed;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** A handle that names no live object is refused, whatever it is. */
class StaleHandleTest extends HeapFixture {
    private static final int FORGED = 1_000_000;

    private final RelocatingHeap heap = heap();
    private final long other = heap.allocate(word(0x5afe));

    /** What lives beside is untouched. */
    @AfterEach
    void theOtherIsThere() {
        assertThat(wordOf(heap, other)).isEqualTo(0x5afe);
        HeapCheck.verify(space(heap));
    }

    /** Each way to use a handle. */
    private static void assertStale(RelocatingHeap heap, long handle) {
        ThrowingCallable[] uses = {
            () -> heap.read(handle, MemorySegment::byteSize),
            () -> heap.update(handle, bytes -> bytes.fill((byte) 1)),
            () -> heap.free(handle),
            () -> heap.size(handle),
            () -> heap.get(handle, word(0)),
            () -> heap.put(handle, 0, word(0)),
            () -> heap.toArray(handle)
        };
        for (ThrowingCallable use : uses) {
            assertThatExceptionOfType(StaleHandleException.class)
                    .isThrownBy(use)
                    .withMessageStartingWith("a handle must name an object of this heap: ")
                    .withMessageContaining("handle=0x" + Long.toHexString(handle) + ",")
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(heap.isLive(handle)).isFalse();
    }

    /** What is said of a handle agrees with the figures beside it. */
    @Test
    void stale_message_saysWhatBecameOfTheObject() {
        long handle = heap.allocate(100);
        heap.free(handle);
        int generation = HandleLayout.generation(handle);
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(() -> heap.size(handle))
                .withMessageContaining(": its object was freed: ")
                .withMessageEndingWith(
                        "generation=" + generation + ", lastGeneration=" + generation);
        long other = heap.allocate(100);
        for (int i = 0; HandleLayout.index(other) != HandleLayout.index(handle); i++) {
            assertThat(i).as("the slot is used again").isLessThan(1_000_000);
            heap.free(other);
            other = heap.allocate(100);
        }
        int now = HandleLayout.generation(other);
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(() -> heap.size(handle))
                .withMessageContaining(": its object was freed, and its place has had others: ")
                .withMessageEndingWith("generation=" + generation + ", lastGeneration=" + now);
        long never = other + (HandleLayout.INDEX_MAX + 1); // its next generation
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(() -> heap.size(never))
                .withMessageContaining(": there never was such an object: ");
        long zero = other - now * (HandleLayout.INDEX_MAX + 1); // no handle has generation 0
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(() -> heap.size(zero))
                .withMessageContaining(": there never was such an object: ");
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(() -> heap.size(0))
                .withMessageContaining(": 0 is no handle: ");
        heap.free(other);
    }

    @Test
    void freed_isStale() {
        long handle = heap.allocate(100);
        heap.free(handle);
        assertStale(heap, handle);
        heap.compact();
        assertStale(heap, handle);
    }

    @Test
    void freedAndSlotReused_isStaleAndTheNewOneIsNot() {
        Set<Long> handles = new HashSet<>();
        long first = heap.allocate(word(1));
        heap.free(first);
        long last = first;
        for (int i = 0; i < 1000; i++) {
            last = heap.allocate(word(i));
            assertThat(handles.add(last)).as("never given twice").isTrue();
            assertThat(wordOf(heap, last)).isEqualTo(i);
            heap.free(last);
        }
        long live = heap.allocate(word(7));
        assertStale(heap, first);
        assertStale(heap, last);
        assertThat(wordOf(heap, live)).isEqualTo(7);
        heap.free(live);
    }

    @Test
    void ofAnotherHeap_isStale() {
        RelocatingHeap second = heap();
        long[] mine = objects(heap, 200, 16);
        long[] theirs = objects(second, 200, 16);
        int refused = 0;
        for (long handle : theirs) {
            if (!heap.isLive(handle)) {
                refused++;
                assertStale(heap, handle);
            }
        }
        assertThat(refused).as("of 200").isEqualTo(200);
        for (int i = 0; i < mine.length; i++) {
            assertThat(wordOf(heap, mine[i])).isEqualTo(i);
            heap.free(mine[i]);
            second.free(theirs[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1, 2, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40, -1L << 40, 0xffL})
    void forged_isStale(long handle) {
        assertStale(heap, handle);
    }

    /** Neighbours of a real one: with another generation, index or tag. */
    @Test
    void oneBitChanged_isStaleOrAnother() {
        long[] handles = objects(heap, 300, 24);
        Set<Long> live = new HashSet<>();
        live.add(other);
        for (long handle : handles) {
            live.add(handle);
        }
        for (long handle : handles) {
            for (int bit = 0; bit < Long.SIZE; bit++) {
                long forged = handle ^ 1L << bit;
                assertThat(heap.isLive(forged)).isEqualTo(live.contains(forged));
                if (!live.contains(forged)) {
                    assertThatExceptionOfType(StaleHandleException.class)
                            .isThrownBy(() -> heap.read(forged, MemorySegment::byteSize));
                }
            }
        }
        for (int i = 0; i < handles.length; i++) {
            assertThat(wordOf(heap, handles[i])).isEqualTo(i);
            heap.free(handles[i]);
        }
    }

    @Test
    void random_areStale() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    int live = 0;
                    for (int i = 0; i < FORGED; i++) {
                        long handle = random.nextLong() >>> random.nextInt(Long.SIZE);
                        live += tryAll(handle, random);
                    }
                    assertThat(live).as("guessed").isZero();
                });
    }

    private int tryAll(long handle, SplittableRandom random) {
        boolean live = heap.isLive(handle);
        if (!live && random.nextInt(4) != 0) {
            return 0; // an exception for each takes its time
        }
        try {
            switch (random.nextInt(4)) {
                case 0 -> heap.read(handle, MemorySegment::byteSize);
                case 1 -> heap.update(handle, _ -> {});
                case 2 -> {
                    if (!live) {
                        heap.free(handle);
                    }
                }
                default -> heap.size(handle);
            }
            return live && handle == other ? 0 : 1;
        } catch (StaleHandleException refused) {
            return live ? 1 : 0;
        }
    }

    /** What comes between the look at a handle and its use: the function sees all or nothing. */
    @Test
    void freedInsideItsRead_isStaleAfterwards() {
        long handle = heap.allocate(word(11));
        long seen =
                heap.read(
                        handle,
                        bytes -> {
                            heap.free(handle);
                            assertThat(heap.isLive(handle)).isFalse();
                            return bytes.get(ValueLayout.JAVA_LONG, 0);
                        });
        assertThat(seen).isEqualTo(11);
        assertStale(heap, handle);
    }
}
