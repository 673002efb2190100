package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.arena.OtherThread;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** What functions passed to {@code read} and {@code update} may do, and what not. */
class HeapFunctionsTest extends HeapFixture {
    private static final int DEPTH = 50;

    private static RelocatingHeap withGarbage(RelocatingHeap heap, List<Long> kept) {
        long[] handles = objects(heap, 6000, KIB);
        thin(heap, handles, 10);
        for (int i = 0; i < handles.length; i += 10) {
            kept.add(handles[i]);
        }
        return heap;
    }

    /** Nobody is inside any more: compaction and close would wait for ever. */
    private void assertLeft(RelocatingHeap heap, List<Long> kept) {
        long cycles = heap.stats().cycles();
        assertThat(heap.compact()).isPositive();
        assertThat(heap.stats().cycles()).isGreaterThan(cycles);
        assertThat(heap.stats().longestInsideThread()).isNull();
        for (int i = 0; i < kept.size(); i++) {
            assertThat(wordOf(heap, kept.get(i))).isEqualTo(10L * i);
        }
        HeapCheck.verify(space(heap));
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void throwing_passesThroughAndLeaves(HeapVariant variant) {
        List<Long> kept = new ArrayList<>();
        RelocatingHeap heap = withGarbage(heap(variant, 64 * MIB), kept);
        RuntimeException thrown = new RuntimeException("on purpose");
        assertThatThrownBy(() -> heap.read(kept.get(0), _ -> fail(thrown))).isSameAs(thrown);
        assertThatThrownBy(() -> heap.update(kept.get(0), _ -> fail(thrown))).isSameAs(thrown);
        assertThatThrownBy(() -> heap.forEach(_ -> fail(thrown))).isSameAs(thrown);
        assertThatThrownBy(
                        () ->
                                heap.read(
                                        kept.get(0),
                                        _ -> {
                                            heap.update(kept.get(1), _ -> fail(thrown));
                                            return 0;
                                        }))
                .isSameAs(thrown);
        assertLeft(heap, kept);
    }

    private static boolean fail(RuntimeException thrown) {
        throw thrown;
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void endingByError_passesThroughAndLeaves(HeapVariant variant) {
        List<Long> kept = new ArrayList<>();
        RelocatingHeap heap = withGarbage(heap(variant, 64 * MIB), kept);
        for (int i = 0; i < 20; i++) {
            assertThatExceptionOfType(StackOverflowError.class)
                    .isThrownBy(() -> heap.read(kept.get(0), _ -> endless(1)));
            assertThatExceptionOfType(StackOverflowError.class)
                    .isThrownBy(
                            () ->
                                    heap.update(
                                            kept.get(0),
                                            _ -> {
                                                long _ = endless(1);
                                            }));
        }
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () ->
                                heap.update(
                                        kept.get(0),
                                        _ -> {
                                            throw new AssertionError("on purpose");
                                        }));
        assertLeft(heap, kept);
    }

    /** Calls itself until the stack is used up. */
    private static long endless(long depth) {
        return depth < 0 ? 0 : 1 + endless(depth + 1);
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void keepingTheSegment_itIsDead(HeapVariant variant) {
        List<Long> kept = new ArrayList<>();
        RelocatingHeap heap = withGarbage(heap(variant, 64 * MIB), kept);
        MemorySegment read = heap.read(kept.get(0), bytes -> bytes);
        AtomicReference<MemorySegment> updated = new AtomicReference<>();
        heap.update(kept.get(0), updated::set);
        for (MemorySegment segment : List.of(read, updated.get())) {
            assertThat(segment.scope().isAlive()).isFalse();
            assertThatIllegalStateException()
                    .isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0))
                    .withMessageContaining("closed");
            assertThatIllegalStateException()
                    .isThrownBy(() -> segment.asSlice(0, 8).get(ValueLayout.JAVA_LONG, 0));
        }
        assertLeft(heap, kept);
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void segment_isConfinedBoundedAndReadOnlyForReaders(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        long handle = heap.allocate(word(3));
        long next = heap.allocate(word(4));
        heap.read(
                handle,
                bytes -> {
                    assertThat(bytes.byteSize()).isEqualTo(8);
                    assertThat(bytes.isReadOnly()).isTrue();
                    assertThatExceptionOfType(IllegalArgumentException.class)
                            .isThrownBy(() -> bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
                            .withMessageContaining("read-only");
                    assertConfinedAndBounded(bytes);
                    return 0;
                });
        heap.update(
                handle,
                bytes -> {
                    assertThat(bytes.isReadOnly()).isFalse();
                    assertConfinedAndBounded(bytes);
                });
        assertThat(wordOf(heap, next)).isEqualTo(4);
        heap.free(handle);
        heap.free(next);
    }

    private static void assertConfinedAndBounded(MemorySegment bytes) {
        assertThat(bytes.isAccessibleBy(Thread.currentThread())).isTrue();
        assertThat(OtherThread.thrownOnPlatform(() -> bytes.get(ValueLayout.JAVA_BYTE, 0)))
                .isInstanceOf(WrongThreadException.class);
        assertThat(OtherThread.thrownOnVirtual(() -> bytes.get(ValueLayout.JAVA_BYTE, 0)))
                .isInstanceOf(WrongThreadException.class);
        for (long outside : new long[] {8, -1, -8, 1L << 40}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> bytes.get(ValueLayout.JAVA_BYTE, outside));
        }
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void nested_readUpdateAllocateFree_work(HeapVariant variant) {
        List<Long> kept = new ArrayList<>();
        RelocatingHeap heap = withGarbage(heap(variant, 64 * MIB), kept);
        long first = kept.get(0);
        long second = kept.get(1);
        heap.read(
                first,
                outer ->
                        heap.read(
                                first,
                                inner -> {
                                    assertThat(inner.mismatch(outer)).isEqualTo(-1);
                                    heap.update(second, bytes -> bytes.set(WORD, 8, 5L));
                                    return heap.read(second, bytes -> bytes.get(WORD, 8));
                                }));
        heap.update(
                first,
                outer -> {
                    heap.update(first, inner -> inner.set(WORD, 8, 6L));
                    assertThat(outer.get(WORD, 8)).as("one object").isEqualTo(6);
                    outer.set(WORD, 16, 7L);
                    heap.update(first, inner -> assertThat(inner.get(WORD, 16)).isEqualTo(7));
                    long seen = heap.read(first, inner -> inner.get(WORD, 16));
                    assertThat(seen).isEqualTo(7);
                    long made = heap.allocate(word(8));
                    assertThat(wordOf(heap, made)).isEqualTo(8);
                    heap.free(made);
                    assertThat(heap.isLive(made)).isFalse();
                });
        assertThat(depth(heap, first, DEPTH)).isEqualTo(DEPTH);
        assertLeft(heap, kept);
    }

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private static int depth(RelocatingHeap heap, long handle, int more) {
        return more == 0 ? 0 : 1 + heap.read(handle, _ -> depth(heap, handle, more - 1));
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void freeOfWhatIsRead_bytesStayUntilTheEnd(HeapVariant variant) {
        List<Long> kept = new ArrayList<>();
        RelocatingHeap heap = withGarbage(heap(variant, 64 * MIB), kept);
        long handle = heap.allocate(100);
        setWord(heap, handle, 77);
        heap.update(
                handle,
                bytes -> {
                    heap.free(handle);
                    long[] more = objects(heap, 3000, KIB);
                    assertThat(bytes.get(WORD, 0)).isEqualTo(77);
                    bytes.fill((byte) 1);
                    for (int i = 0; i < more.length; i++) {
                        assertThat(wordOf(heap, more[i])).isEqualTo(i);
                        heap.free(more[i]);
                    }
                    assertThat(bytes.get(WORD, 0)).isEqualTo(0x0101010101010101L);
                });
        assertThat(heap.isLive(handle)).isFalse();
        assertLeft(heap, kept);
    }

    /** Each of these would wait for its own caller. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void compactTrimAndCloseInside_areRefused(HeapVariant variant) {
        List<Long> kept = new ArrayList<>();
        RelocatingHeap heap = withGarbage(heap(variant, 64 * MIB), kept);
        heap.read(
                kept.get(0),
                _ -> {
                    assertInsideRefused(heap);
                    return 0;
                });
        heap.update(kept.get(0), _ -> heap.update(kept.get(1), _ -> assertInsideRefused(heap)));
        assertThat(heap.stats().cycles()).isZero();
        assertLeft(heap, kept);
    }

    private static void assertInsideRefused(RelocatingHeap heap) {
        for (Runnable wait : List.<Runnable>of(heap::compact, heap::close)) {
            assertThatIllegalStateException()
                    .isThrownBy(wait::run)
                    .withMessageContaining(
                            "must not be called by a function that reads or updates an object");
        }
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void forEach_callingTheHeap_works(HeapVariant variant) {
        List<Long> kept = new ArrayList<>();
        RelocatingHeap heap = withGarbage(heap(variant, 64 * MIB), kept);
        List<Long> met = new ArrayList<>();
        heap.forEach(
                handle -> {
                    met.add(handle);
                    long word = wordOf(heap, handle);
                    setWord(heap, handle, word);
                });
        assertThat(met).containsExactlyInAnyOrderElementsOf(kept);
        heap.forEach(heap::free);
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isZero();
        HeapCheck.verify(space(heap));
    }
}
