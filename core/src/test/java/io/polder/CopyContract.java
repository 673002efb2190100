package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Strings, arrays and segments come out as they went in. */
interface CopyContract extends ArenaUnderTest {
    List<Charset> CHARSETS =
            List.of(
                    StandardCharsets.UTF_8,
                    StandardCharsets.UTF_16LE,
                    StandardCharsets.UTF_16BE,
                    StandardCharsets.UTF_32LE,
                    StandardCharsets.UTF_32BE);

    @Test
    default void allocateFrom_string_readsBack() {
        for (String text :
                List.of("", "a", "polder", "dijk \u0133 \u20ac \ud83c\udf0a", "x".repeat(9000))) {
            try (Arena arena = open()) {
                MemorySegment plain = arena.allocateFrom(text);
                assertThat(plain.byteSize())
                        .isEqualTo(text.getBytes(StandardCharsets.UTF_8).length + 1);
                assertThat(plain.getString(0)).isEqualTo(text);
                for (Charset charset : CHARSETS) {
                    MemorySegment segment = arena.allocateFrom(text, charset);
                    assertThat(segment.getString(0, charset)).isEqualTo(text);
                }
                assertThat(plain.getString(0)).isEqualTo(text);
            }
        }
    }

    @Test
    default void allocateFrom_latin1_readsBack() {
        try (Arena arena = open()) {
            MemorySegment segment = arena.allocateFrom("\u00e9\u00e8", StandardCharsets.ISO_8859_1);
            assertThat(segment.byteSize()).isEqualTo(3);
            assertThat(segment.getString(0, StandardCharsets.ISO_8859_1)).isEqualTo("\u00e9\u00e8");
        }
    }

    @Test
    default void allocateFrom_arrays_readBack() {
        try (Arena arena = open()) {
            assertThat(
                            arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) 1, (byte) -2)
                                    .toArray(ValueLayout.JAVA_BYTE))
                    .containsExactly(1, -2);
            assertThat(
                            arena.allocateFrom(ValueLayout.JAVA_CHAR, 'a', 'z')
                                    .toArray(ValueLayout.JAVA_CHAR))
                    .containsExactly('a', 'z');
            assertThat(
                            arena.allocateFrom(ValueLayout.JAVA_SHORT, (short) 1, (short) -2)
                                    .toArray(ValueLayout.JAVA_SHORT))
                    .containsExactly((short) 1, (short) -2);
            assertThat(
                            arena.allocateFrom(ValueLayout.JAVA_INT, 1, -2, 3)
                                    .toArray(ValueLayout.JAVA_INT))
                    .containsExactly(1, -2, 3);
            assertThat(
                            arena.allocateFrom(ValueLayout.JAVA_LONG, 1, -2, Long.MAX_VALUE)
                                    .toArray(ValueLayout.JAVA_LONG))
                    .containsExactly(1, -2, Long.MAX_VALUE);
            assertThat(
                            arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1f, -2f)
                                    .toArray(ValueLayout.JAVA_FLOAT))
                    .containsExactly(1f, -2f);
            assertThat(
                            arena.allocateFrom(ValueLayout.JAVA_DOUBLE, 1d, Double.NaN)
                                    .toArray(ValueLayout.JAVA_DOUBLE))
                    .containsExactly(1d, Double.NaN);
            assertThat(
                            arena.allocateFrom(ValueLayout.JAVA_INT, new int[0])
                                    .toArray(ValueLayout.JAVA_INT))
                    .isEmpty();
        }
    }

    @Test
    default void allocateFrom_scalars_readBack() {
        try (Arena arena = open()) {
            MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_INT, 42);
            MemorySegment pointer = arena.allocateFrom(ValueLayout.ADDRESS, number);
            assertThat(number.get(ValueLayout.JAVA_INT, 0)).isEqualTo(42);
            assertThat(pointer.get(ValueLayout.ADDRESS, 0).address()).isEqualTo(number.address());
        }
    }

    @Test
    default void copy_betweenArenasAndHeap_keepsTheBytes() {
        try (Arena first = open();
                Arena second = open()) {
            MemorySegment from = first.allocate(777);
            MemorySegment to = second.allocate(777);
            Paint.paint(from, 9);
            MemorySegment.copy(from, 0, to, 0, 777);
            assertThat(Paint.isPainted(to, 9)).isTrue();
            byte[] heap = new byte[777];
            MemorySegment.copy(to, ValueLayout.JAVA_BYTE, 0, heap, 0, heap.length);
            MemorySegment again =
                    first.allocateFrom(
                            ValueLayout.JAVA_BYTE,
                            MemorySegment.ofArray(heap),
                            ValueLayout.JAVA_BYTE,
                            0,
                            heap.length);
            assertThat(again.mismatch(from)).isEqualTo(-1);
        }
    }

    @Test
    default void slicingAllocator_overASegment_slicesIt() {
        try (Arena arena = open()) {
            MemorySegment block = arena.allocate(1024, 16);
            SegmentAllocator slices = SegmentAllocator.slicingAllocator(block);
            for (int i = 0; i < 32; i++) {
                MemorySegment slice = slices.allocate(32, 16);
                assertThat(slice.scope()).isEqualTo(arena.scope());
                assertThat(slice.address()).isEqualTo(block.address() + 32L * i);
                slice.fill((byte) i);
            }
            assertThat(block.get(ValueLayout.JAVA_BYTE, 1023)).isEqualTo((byte) 31);
        }
    }

    @Test
    default void prefixAllocator_overASegment_reusesIt() {
        try (Arena arena = open()) {
            SegmentAllocator prefix = SegmentAllocator.prefixAllocator(arena.allocate(64, 8));
            MemorySegment first = prefix.allocateFrom(ValueLayout.JAVA_LONG, 1L);
            MemorySegment second = prefix.allocateFrom(ValueLayout.JAVA_LONG, 2L);
            assertThat(first.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(2);
            assertThat(second.address()).isEqualTo(first.address());
        }
    }
}
