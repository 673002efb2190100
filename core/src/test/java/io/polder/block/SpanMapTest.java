package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.chunk.ChunkLevel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpanMapTest {
    private static final long FIRST = 1L << 32;

    private final SpanMap map = new SpanMap();

    /** One of a root chunk, without memory: as many units as any has. */
    private static Span span(long base) {
        Span span = Span.of(ThreadHeap.NOBODY);
        span.chunk = base | ChunkLevel.ROOT;
        span.format(0, ThreadHeap.NOBODY);
        return span;
    }

    /** The table was made for as many entries as there were, and not for all units. */
    @Test
    void add_whereOthersWereRemoved_findsEachUnit() {
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            spans.add(span(FIRST + i * ChunkLevel.ROOT_BYTES));
        }
        spans.forEach(map::add);
        for (int round = 0; round < 300; round++) {
            for (int i = 0; i < spans.size(); i++) {
                Span old = spans.get(i);
                map.remove(old);
                assertThat(map.find(old.base)).isNotSameAs(old);
                spans.set(i, span(old.base));
                map.add(spans.get(i));
            }
            BlockCheck.verify(map);
        }
        assertThat(map.spans()).hasSameElementsAs(spans);
    }

    /** A span of one block takes one entry; with small blocks later, all of its units do. */
    @Test
    void add_oneBlockAndThenMany_findsWhereBlocksBegin() {
        Span span = span(FIRST);
        span.bytes = ChunkLevel.ROOT_BYTES;
        span.blockBytes = ChunkLevel.ROOT_BYTES;
        map.add(span);
        assertThat(map.filled).isOne();
        assertThat(map.find(FIRST)).isSameAs(span);
        assertThat(map.find(FIRST + SpanMap.UNIT_BYTES)).isSameAs(Span.NONE);
        assertThat(map.covering(FIRST + SpanMap.UNIT_BYTES)).isSameAs(span);

        span.format(0, ThreadHeap.NOBODY);
        map.add(span);

        BlockCheck.verify(map);
        assertThat(map.find(FIRST + SpanMap.UNIT_BYTES)).isSameAs(span);
        span.blockBytes = span.bytes;
        map.remove(span);
        assertThat(map.spans()).isEmpty();
    }

    /** Far apart by a power of two, as reservations may be. */
    @Test
    void find_rootChunksFarApart_endsNearWhereItBegins() {
        for (int i = 0; i < 32; i++) {
            map.add(span(FIRST + ((long) i << 32)));
        }
        int guessed = 0;
        for (Span span : map.spans()) {
            for (long at = 0; at < ChunkLevel.ROOT_BYTES; at += SpanMap.UNIT_BYTES) {
                assertThat(map.find(span.base + at)).isSameAs(span);
                guessed += map.guess(span.base + at) == span ? 1 : 0;
            }
        }
        assertThat(guessed).as("found at once, of %d", 32 * 64).isGreaterThan(32 * 64 / 2);
    }

    /** Small spans, as two threads have them, that come and go. */
    @Test
    void guess_manyCameAndWent_findsNearlyAll() {
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            spans.add(small(FIRST + i * 37L * SpanMap.UNIT_BYTES));
        }
        spans.forEach(map::add);
        for (int i = 0; i < 10_000; i++) {
            Span old = spans.get(i % 64);
            map.remove(old);
            Span other = small(old.base ^ (((i % 7) * ChunkLevel.ROOT_BYTES) << 10));
            spans.set(i % 64, other);
            map.add(other);
        }
        BlockCheck.verify(map);
        assertThat(spans)
                .filteredOn(span -> map.guess(span.base) != span)
                .as("not found at once, of 64")
                .hasSizeLessThan(10);
    }

    private static Span small(long base) {
        Span span = Span.of(ThreadHeap.NOBODY);
        span.chunk = base | ChunkLevel.fitting(SpanMap.UNIT_BYTES);
        span.format(0, ThreadHeap.NOBODY);
        return span;
    }

    /** Units of 8 TiB and more: as many as no table of usual sparseness has room for. */
    @Test
    void length_allSizes_hasRoomOrIsRefused() {
        for (int shift = 0; shift < 48; shift++) {
            for (long wanted : new long[] {(1L << shift) - 1, 1L << shift, (1L << shift) + 1}) {
                if (wanted > SpanMap.filledMax(1 << 30)) {
                    assertThatExceptionOfType(OutOfMemoryError.class)
                            .isThrownBy(() -> SpanMap.length(wanted));
                } else {
                    int length = SpanMap.length(wanted);
                    assertThat(Integer.bitCount(length)).isOne();
                    assertThat((long) SpanMap.filledMax(length)).isGreaterThanOrEqualTo(wanted);
                }
            }
        }
    }

    @Test
    void spans_ofManyUnits_areThereOnce() {
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            spans.add(span(FIRST + 3L * i * ChunkLevel.ROOT_BYTES));
            map.add(spans.getLast());
        }
        map.remove(spans.removeFirst());
        assertThat(map.spans()).containsExactlyInAnyOrderElementsOf(spans);
    }
}
