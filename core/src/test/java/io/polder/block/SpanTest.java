package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;

class SpanTest {
    /** An address that a chunk may have; nobody touches it. */
    private static final long BASE = 1L << 40;

    /** Of how many addresses of a span, and of one on each side, the answer is wrong. */
    private static long wrong(Span span) {
        long wrong = 0;
        for (long offset = -1; offset <= span.bytes; offset++) {
            boolean begins = offset >= 0 && offset < span.bytes && offset % span.blockBytes == 0;
            wrong += span.isBlock(BASE + offset) == begins ? 0 : 1;
        }
        return wrong;
    }

    @Test
    void isBlock_eachOffsetOfEachClass_isWhetherItIsAMultiple() {
        for (int sizeClass = 0; sizeClass < SizeClass.COUNT; sizeClass++) {
            Span span = Span.of(ThreadHeap.NOBODY);
            span.chunk = BASE | Carving.level(sizeClass);
            span.format(sizeClass, ThreadHeap.NOBODY);
            span.carvedBytes = span.bytes;
            assertThat(wrong(span)).as("wrong of class %d", sizeClass).isZero();
            assertThat(span.isBlock(BASE + (1L << 32) * span.blockBytes)).isFalse();
            span.carvedBytes = span.blockBytes;
            assertThat(span.isBlock(BASE)).isTrue();
            assertThat(span.isBlock(BASE + span.blockBytes)).as("not carved").isFalse();
        }
    }

    /** HotSpot lays out wide fields first, but fills the gap behind a header with a narrow one. */
    @Test
    void inside_amongItsPads_isAsWideAsThese() {
        for (Field field : InsideFlag.class.getDeclaredFields()) {
            assertThat(field.getType()).as(field.getName()).isEqualTo(long.class);
        }
    }
}
