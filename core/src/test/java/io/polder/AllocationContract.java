package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Size, alignment, bounds; no overlap. */
interface AllocationContract extends ArenaUnderTest {
    /** What {@code malloc} guarantees, and what is had where no alignment is asked. */
    long MALLOC_ALIGNMENT = 16;

    @Test
    default void allocate_anySize_isExactlyThatLong() {
        for (long size : new long[] {0, 1, 7, 8, 63, 64, 65, 4095, 4096, 16384, 70_000, 1 << 20}) {
            try (Arena arena = open()) {
                MemorySegment segment = arena.allocate(size);
                assertThat(segment.byteSize()).isEqualTo(size);
                assertThat(segment.isNative()).isTrue();
                assertThat(segment.isReadOnly()).isFalse();
                assertThat(segment.isMapped()).isFalse();
            }
        }
    }

    @Test
    default void access_outsideBounds_throws() {
        try (Arena arena = open()) {
            for (long size : new long[] {0, 1, 13, 64, 20_000}) {
                MemorySegment segment = arena.allocate(size);
                for (long outside : new long[] {-1, size, size + 1, Long.MAX_VALUE}) {
                    assertThatExceptionOfType(IndexOutOfBoundsException.class)
                            .isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, outside))
                            .withMessageContaining("Out of bound");
                }
            }
        }
    }

    @Test
    default void allocate_alignmentOfAPage_orLess_isAligned() {
        for (long alignment = 1; alignment <= 4096; alignment *= 2) {
            try (Arena arena = open()) {
                for (long size : new long[] {1, 7, 0, 100, 1, 3000}) {
                    long address = arena.allocate(size, alignment).address();
                    assertThat(address % alignment).isZero();
                }
            }
        }
    }

    @Test
    default void allocate_noAlignmentAsked_isAlignedAsByMalloc() {
        try (Arena arena = open()) {
            for (long size : new long[] {1, 7, 0, 100, 1, 3000, 20_000, 3}) {
                assertThat(arena.allocate(size).address() % MALLOC_ALIGNMENT).isZero();
                assertThat(arena.allocate(size, 1).address() % Long.BYTES).isZero();
                arena.allocate(ValueLayout.JAVA_SHORT); // and now the top is not
            }
        }
    }

    @Test
    default void allocate_layouts_haveTheirSizeAndAlignment() {
        MemoryLayout struct =
                MemoryLayout.structLayout(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
        try (Arena arena = open()) {
            arena.allocate(1);
            assertThat(arena.allocate(struct).byteSize()).isEqualTo(12);
            assertThat(arena.allocate(struct.withByteAlignment(256)).address() % 256).isZero();
            assertThat(arena.allocate(ValueLayout.JAVA_INT, 5).byteSize()).isEqualTo(20);
            assertThat(arena.allocate(ValueLayout.JAVA_INT, 0).byteSize()).isZero();
            MemoryLayout aligned = ValueLayout.JAVA_LONG.withByteAlignment(128);
            assertThat(arena.allocate(aligned).address() % 128).isZero();
            assertThat(
                            arena.allocate(MemoryLayout.sequenceLayout(2, ValueLayout.JAVA_LONG), 3)
                                    .byteSize())
                    .isEqualTo(48);
            assertThat(arena.allocate(ValueLayout.JAVA_BYTE, 70_000).byteSize()).isEqualTo(70_000);
        }
    }

    @Test
    default void allocate_alignmentBeyondASlab_isAligned() {
        try (Arena arena = open()) {
            for (long alignment : new long[] {64 << 10, 2 << 20, 128 << 20}) {
                MemorySegment segment = arena.allocate(5, alignment);
                assertThat(segment.address() % alignment).isZero();
                assertThat(segment.byteSize()).isEqualTo(5);
                assertThat(Paint.isZero(segment)).isTrue();
                Paint.paint(segment, alignment);
                assertThat(arena.allocate(5, 1).address()).isNotEqualTo(segment.address());
            }
        }
    }

    @Test
    default void allocate_manySizes_neverOverlaps() {
        SplittableRandom random = new SplittableRandom(20);
        try (Arena arena = open()) {
            List<MemorySegment> segments = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                long size = 1L + random.nextInt(random.nextInt(10) == 0 ? 9000 : 60);
                segments.add(arena.allocate(size, 1L << random.nextInt(7)));
            }
            for (int i = 0; i < segments.size(); i++) {
                for (int j = 0; j < i; j++) {
                    MemorySegment other = segments.get(j);
                    assertThat(segments.get(i).asOverlappingSlice(other)).isEmpty();
                    assertThat(other.asOverlappingSlice(segments.get(i))).isEmpty();
                }
            }
        }
    }

    @Test
    default void allocate_thousands_neverOverlapAndKeepTheirBytes() {
        SplittableRandom random = new SplittableRandom(21);
        try (Arena arena = open()) {
            List<MemorySegment> segments = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                MemorySegment segment = arena.allocate(random.nextInt(50), 1L << random.nextInt(5));
                Paint.paint(segment, i);
                segments.add(segment);
            }
            for (int i = 0; i < segments.size(); i++) {
                assertThat(Paint.isPainted(segments.get(i), i)).isTrue();
            }
            segments.sort(Comparator.comparingLong(MemorySegment::address));
            for (int i = 1; i < segments.size(); i++) {
                MemorySegment before = segments.get(i - 1);
                assertThat(segments.get(i).address())
                        .isGreaterThanOrEqualTo(before.address() + before.byteSize());
            }
        }
    }

    @Test
    default void allocate_noBytes_hasAnAddressOfItsOwn() {
        try (Arena arena = open()) {
            Set<Long> addresses = new HashSet<>();
            for (int i = 0; i < 300; i++) {
                addresses.add(arena.allocate(0, 1L << (i % 6)).address());
                addresses.add(arena.allocate(1).address());
            }
            assertThat(addresses).hasSize(600).doesNotContain(0L);
        }
    }

    @Test
    default void allocate_moreThanASlabBitByBit_goesOn() {
        try (Arena arena = open()) {
            long total = 0;
            for (int i = 0; total <= 2 * slabBytes() + 1000; i++) {
                MemorySegment segment = arena.allocate(500);
                assertThat(Paint.isZero(segment)).isTrue();
                Paint.paint(segment, i);
                total += segment.byteSize();
            }
        }
    }

    @Test
    default void allocate_smallAfterOneThatDidNotFit_isFine() {
        try (Arena arena = open()) {
            MemorySegment first = arena.allocate(5);
            MemorySegment large = arena.allocate(slabBytes() + 1);
            MemorySegment last = arena.allocate(5);
            Paint.paint(first, 1);
            Paint.paint(last, 2);
            Paint.paint(large, 3);
            assertThat(Paint.isPainted(first, 1)).isTrue();
            assertThat(Paint.isPainted(last, 2)).isTrue();
        }
    }
}
