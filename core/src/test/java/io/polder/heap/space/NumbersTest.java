package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Numbers and parts of objects, without a function. */
class NumbersTest extends HeapFixture {
    private static final int SIZE = 21;

    private RelocatingHeap heap;
    private long handle;

    @BeforeEach
    void open() {
        heap = heap();
        handle = heap.allocate(SIZE);
    }

    @Test
    void numbers_setAndGet_areTheSameBytesAsThoseOfAFunction() {
        heap.setByte(handle, 0, (byte) -7);
        heap.setInt(handle, 1, -70_000);
        heap.setLong(handle, 5, Long.MIN_VALUE + 3);
        heap.setDouble(handle, SIZE - 8, -0.5);
        assertThat(heap.getByte(handle, 0)).isEqualTo((byte) -7);
        assertThat(heap.getInt(handle, 1)).isEqualTo(-70_000);
        assertThat(heap.getLong(handle, 5)).isEqualTo(Long.MIN_VALUE + 3);
        assertThat(heap.getDouble(handle, SIZE - 8)).isEqualTo(-0.5);
        assertThat(heap.<Long>read(handle, s -> s.get(ValueLayout.JAVA_LONG_UNALIGNED, 5)))
                .isEqualTo(Long.MIN_VALUE + 3);
    }

    @Test
    void getDouble_notANumber_keepsItsBits() {
        long bits = 0x7FF8_0000_0000_1234L;
        heap.setLong(handle, 0, bits);
        heap.setDouble(handle, 8, heap.getDouble(handle, 0));
        assertThat(heap.getLong(handle, 8)).isEqualTo(bits);
    }

    @Test
    void atomicAccess_asExpectedOrNot_isAsOfAVarHandle() {
        heap.setInt(handle, 4, 40);
        assertThat(heap.getAndAddInt(handle, 4, -50)).isEqualTo(40);
        assertThat(heap.compareAndSetInt(handle, 4, 40, 1)).isFalse();
        assertThat(heap.compareAndSetInt(handle, 4, -10, 1)).isTrue();
        assertThat(heap.getInt(handle, 4)).isEqualTo(1);
        heap.setLong(handle, 8, Long.MAX_VALUE);
        assertThat(heap.getAndAddLong(handle, 8, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(heap.compareAndSetLong(handle, 8, 0, 1)).isFalse();
        assertThat(heap.compareAndSetLong(handle, 8, Long.MIN_VALUE, -1)).isTrue();
        assertThat(heap.getLong(handle, 8)).isEqualTo(-1);
        assertThat(heap.getInt(handle, 0)).as("beside").isZero();
    }

    private void assertOutside(long offset, long bytes, ThrowingCallable... uses) {
        for (ThrowingCallable use : uses) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(use)
                    .withMessage(
                            "an access must be within the object: offset=%d, bytes=%d, size=%d",
                            offset, bytes, SIZE);
        }
    }

    @Test
    void offset_outsideOfTheObject_isRefusedAndNothingChanged() {
        for (long at : new long[] {-1, Long.MIN_VALUE, SIZE - 7, SIZE, Long.MAX_VALUE}) {
            assertOutside(
                    at,
                    8,
                    () -> heap.getLong(handle, at),
                    () -> heap.getDouble(handle, at),
                    () -> heap.setLong(handle, at, 1),
                    () -> heap.setDouble(handle, at, 1),
                    () -> heap.getAndAddLong(handle, at, 1),
                    () -> heap.compareAndSetLong(handle, at, 0, 1),
                    () -> heap.get(handle, at, word(1)),
                    () -> heap.put(handle, at, word(1)),
                    () -> heap.get(handle, at, new byte[9], 1, 8),
                    () -> heap.put(handle, at, new byte[9], 1, 8));
        }
        for (long at : new long[] {-1, SIZE - 3, SIZE, Long.MAX_VALUE}) {
            assertOutside(
                    at,
                    4,
                    () -> heap.getInt(handle, at),
                    () -> heap.setInt(handle, at, 1),
                    () -> heap.getAndAddInt(handle, at, 1),
                    () -> heap.compareAndSetInt(handle, at, 0, 1));
        }
        assertOutside(SIZE, 1, () -> heap.getByte(handle, SIZE));
        assertOutside(-1, 1, () -> heap.setByte(handle, -1, (byte) 1));
        assertThat(heap.mismatch(handle, MemorySegment.ofArray(new byte[SIZE]))).isEqualTo(-1);
    }

    @Test
    void array_partOutside_isRefused() {
        byte[] array = new byte[4];
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.get(handle, 0, array, 2, 3));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.put(handle, 0, array, -1, 2));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.put(handle, 0, array, 0, -1));
    }

    @Test
    void atomicAccess_notAligned_isRefused() {
        ThrowingCallable[] uses = {
            () -> heap.getAndAddInt(handle, 2, 1), () -> heap.compareAndSetInt(handle, 2, 0, 1),
        };
        for (ThrowingCallable use : uses) {
            assertThatIllegalArgumentException()
                    .isThrownBy(use)
                    .withMessage("an atomic access must be aligned to its size: offset=2, bytes=4");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> heap.getAndAddLong(handle, 4, 1))
                .withMessage("an atomic access must be aligned to its size: offset=4, bytes=8");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> heap.compareAndSetLong(handle, 12, 0, 1));
        assertThat(heap.getLong(handle, 2)).isZero();
    }

    @Test
    void staleHandle_anyAccess_isRefused() {
        long other = heap.allocate(SIZE);
        heap.free(handle);
        long next = heap.allocate(SIZE);
        ThrowingCallable[] uses = {
            () -> heap.getByte(handle, 0),
            () -> heap.getInt(handle, 0),
            () -> heap.getLong(handle, 0),
            () -> heap.getDouble(handle, 0),
            () -> heap.setByte(handle, 0, (byte) 1),
            () -> heap.setLong(handle, 0, 1),
            () -> heap.getAndAddInt(handle, 0, 1),
            () -> heap.compareAndSetLong(handle, 0, 0, 1),
            () -> heap.get(handle, 0, word(1)),
            () -> heap.put(handle, 0, word(1)),
            () -> heap.mismatch(handle, word(1)),
            () -> heap.contentHash(handle),
            () -> heap.compute(handle, MemorySegment::byteSize),
            () -> heap.resize(handle, 8),
            () -> heap.resize(handle, SIZE),
            () -> heap.getLong(0, 0),
            () -> heap.resize(0, 8),
        };
        for (ThrowingCallable use : uses) {
            assertThatExceptionOfType(StaleHandleException.class).isThrownBy(use);
        }
        assertThat(heap.getLong(other, 0) + heap.getLong(next, 0)).isZero();
    }

    @Test
    void mismatch_anySegment_isTheFirstDifference() {
        byte[] bytes = new byte[SIZE];
        heap.setByte(handle, 20, (byte) 1);
        assertThat(heap.mismatch(handle, MemorySegment.ofArray(bytes))).isEqualTo(20);
        bytes[20] = 1;
        assertThat(heap.mismatch(handle, MemorySegment.ofArray(bytes))).isEqualTo(-1);
        assertThat(heap.mismatch(handle, MemorySegment.ofArray(new byte[20]))).isEqualTo(20);
        assertThat(heap.mismatch(handle, MemorySegment.NULL)).isZero();
        assertThat(heap.mismatch(heap.allocate(0), MemorySegment.NULL)).isEqualTo(-1);
    }

    @Test
    void contentHash_sameBytes_isTheSame() {
        byte[] bytes = new byte[SIZE];
        bytes[3] = 5;
        bytes[19] = -1;
        heap.put(handle, 0, bytes, 0, SIZE);
        long hash = heap.contentHash(handle);
        assertThat(RelocatingHeap.contentHash(MemorySegment.ofArray(bytes))).isEqualTo(hash);
        assertThat(heap.contentHash(heap.allocate(SIZE))).isNotEqualTo(hash);
        assertThat(heap.contentHash(heap.allocate(0)))
                .isNotEqualTo(heap.contentHash(heap.allocate(1)));
    }

    @Test
    void contentHash_counters_spreadOverAllBits() {
        int[] ones = new int[Long.SIZE];
        int count = 4096;
        for (int i = 0; i < count; i++) {
            heap.setLong(handle, 0, i);
            long hash = heap.contentHash(handle);
            for (int bit = 0; bit < Long.SIZE; bit++) {
                ones[bit] += (int) (hash >>> bit) & 1;
            }
        }
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertThat(ones[bit]).as("bit %d", bit).isBetween(count * 2 / 5, count * 3 / 5);
        }
    }

    @Test
    void compute_any_changesAndReturns() {
        long before =
                heap.compute(
                        handle,
                        bytes -> {
                            long was = bytes.get(ValueLayout.JAVA_LONG, 0);
                            bytes.set(ValueLayout.JAVA_LONG, 0, 9);
                            return was;
                        });
        assertThat(before).isZero();
        assertThat(heap.getLong(handle, 0)).isEqualTo(9);
    }

    @Test
    void resize_anySizes_keepsTheBytesThatFit() {
        heap.setLong(handle, 0, 1);
        heap.setByte(handle, 20, (byte) 2);
        long[] sizes = {22, 23, 24, 25, 300 * KIB, 5 * MIB, 70 * MIB, 33 * MIB, 100, 21};
        for (long bytes : sizes) {
            heap.resize(handle, bytes);
            assertThat(heap.size(handle)).isEqualTo(bytes);
            assertThat(heap.getLong(handle, 0)).isEqualTo(1);
            assertThat(heap.getByte(handle, 20)).isEqualTo((byte) 2);
            long last = heap.getByte(handle, bytes - 1);
            assertThat(last).as("what is added").isEqualTo(bytes == 21 ? 2 : 0);
            heap.setByte(handle, bytes - 1, (byte) 2);
        }
        heap.resize(handle, 0);
        assertThat(heap.size(handle)).isZero();
        heap.resize(handle, SIZE);
        assertThat(heap.mismatch(handle, MemorySegment.ofArray(new byte[SIZE]))).isEqualTo(-1);
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isEqualTo(1);
    }

    /** Not a byte of garbage, whatever the sizes were before. */
    @Test
    void resize_toAsManyUnits_staysAndAddsZeros() {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        int[] units = {1, 2, 3, 25, 300, 40_000, 5 << 17, 33 << 17};
        for (int unit : units) {
            long object = heap.allocate(8L * unit);
            long filled = heap.stats().filledBytes();
            byte[] expected = new byte[8 * unit];
            for (int turn = 0; turn < (unit < 1000 ? 50 : 3); turn++) {
                random.nextBytes(expected);
                heap.put(object, 0, MemorySegment.ofArray(expected));
                int bytes = 8 * unit - random.nextInt(8);
                heap.resize(object, bytes);
                expected = Arrays.copyOf(expected, bytes);
                assertThat(heap.toArray(object)).as("seed=%s", seed).isEqualTo(expected);
            }
            assertThat(heap.stats().filledBytes()).as("seed=%s", seed).isEqualTo(filled);
        }
    }

    @Test
    void resize_badSize_isRefused() {
        for (long bytes : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> heap.resize(handle, bytes))
                    .withMessageStartingWith("an object must fit into its heap: bytes=" + bytes);
        }
        assertThat(heap.size(handle)).isEqualTo(SIZE);
    }

    @Test
    void resize_noRoom_leavesTheObjectAsItWas() {
        RelocatingHeap small = heap(HeapVariant.USUAL, 16 * MIB);
        long object = small.allocate(SIZE);
        small.setLong(object, 3, 33);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> small.resize(object, 15 * MIB));
        assertThat(small.size(object)).isEqualTo(SIZE);
        assertThat(small.getLong(object, 3)).isEqualTo(33);
    }

    @Test
    void closedPool_access_goesOnAndResizeIsRefused() {
        heap.setLong(handle, 0, 4);
        pagesOf(heap).shut();
        assertThat(heap.getLong(handle, 0)).isEqualTo(4);
        heap.setLong(handle, 0, 5);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> heap.resize(handle, 8))
                .withMessage("the pool is closed, and its heaps allocate no more: pool=");
        assertThat(heap.getAndAddLong(handle, 0, 1)).isEqualTo(5);
    }
}
