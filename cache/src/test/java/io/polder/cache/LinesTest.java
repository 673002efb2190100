package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;
import io.polder.page.PageCache;

import org.junit.jupiter.api.Test;

/** Lines come by chunks, and beyond some chunks by pages, and go back as they came. */
class LinesTest extends CacheFixture {
    private static final long CHUNK = Lines.LINES_PER_CHUNK;

    /** In chunks that come one by one; the next ones come by pages. */
    private static final long SINGLE = 16 * CHUNK;

    private static final long PAGE = PageCache.GRANULE_BYTES / Lines.LINE_BYTES;

    private static void write(Lines lines, long from, long to) {
        for (long line = from; line < to; line++) {
            for (int word = 0; word < Lines.LINE_BYTES / Long.BYTES; word++) {
                assertThat(lines.getAcquire(line, word)).isZero();
                lines.setRelease(line, word, line * 8 + word);
            }
        }
    }

    private static void check(Lines lines, long to) {
        for (long line = 0; line < to; line++) {
            for (int word = 0; word < Lines.LINE_BYTES / Long.BYTES; word++) {
                assertThat(lines.getAcquire(line, word)).isEqualTo(line * 8 + word);
            }
        }
    }

    private long taken() {
        return pool.stats().pages().takenBytes();
    }

    @Test
    void upper_beyondSingleChunks_comesAndGoesByPages() {
        Lines lines = new Lines(pool);
        lines.ensureUpper(SINGLE);
        assertThat(lines.upperCount()).isEqualTo(SINGLE);
        assertThat(taken()).isZero();
        lines.ensureUpper(SINGLE + 1);
        assertThat(lines.upperCount()).isEqualTo(SINGLE + PAGE);
        assertThat(taken()).isEqualTo(PageCache.GRANULE_BYTES);
        lines.ensureUpper(SINGLE + PAGE + 1);
        assertThat(lines.bytes()).isEqualTo((SINGLE + 2 * PAGE) * Lines.LINE_BYTES);
        write(lines, 0, SINGLE + 2 * PAGE);
        check(lines, SINGLE + 2 * PAGE);

        lines.shrinkUpper(SINGLE + PAGE + 1);
        assertThat(lines.upperCount()).isEqualTo(SINGLE + 2 * PAGE);
        lines.shrinkUpper(SINGLE + PAGE);
        assertThat(lines.upperCount()).isEqualTo(SINGLE + PAGE);
        assertThat(taken()).isEqualTo(PageCache.GRANULE_BYTES);
        check(lines, SINGLE + PAGE);
        assertThatThrownBy(() -> lines.getAcquire(SINGLE + PAGE, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        lines.ensureUpper(SINGLE + PAGE + 1);
        write(lines, SINGLE + PAGE, SINGLE + 2 * PAGE);

        lines.shrinkUpper(SINGLE - CHUNK);
        assertThat(lines.upperCount()).isEqualTo(SINGLE - CHUNK);
        assertThat(taken()).isZero();
        check(lines, SINGLE - CHUNK);
        lines.close();
    }

    @Test
    void close_twice_givesPagesBackAndHasReadersFail() {
        Lines lines = new Lines(pool);
        lines.ensureUpper(SINGLE + 1);
        lines.ensureLower(1);
        lines.close();
        lines.close();
        assertThat(lines.bytes()).isZero();
        assertThat(taken()).isZero();
        assertThatThrownBy(() -> lines.getAcquire(SINGLE, 0))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void upper_withoutMemoryForAPage_staysAsItWas() {
        try (MemoryPool small = MemoryPool.builder().committedMaxBytes(5 << 20).build()) {
            Lines lines = new Lines(small);
            lines.ensureUpper(SINGLE);
            assertThatThrownBy(() -> lines.ensureUpper(SINGLE + 1))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(lines.upperCount()).isEqualTo(SINGLE);
            write(lines, 0, SINGLE);
            check(lines, SINGLE);
            lines.close();
        }
    }
}
