package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What every {@link MemoryProvider} promises. Each test leaves nothing reserved, and that is
 * checked.
 */
abstract class MemoryProviderContract {

    private static final int GRANULES = 16;
    private static final byte PAINT = 0x77;

    private FailingMemoryProvider provider = new FailingMemoryProvider(Providers.plain());
    private long page;

    abstract MemoryProvider create();

    @BeforeEach
    void createProvider() {
        provider = new FailingMemoryProvider(create());
        page = provider.limits().osPageSize();
    }

    @AfterEach
    void nothingReserved() {
        assertThat(provider.reservedBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 4096, 1 << 16, REMAP_GRANULE_BYTES, 64L << 20})
    void reserve_anyAlignment_isAligned(long alignment) {
        long address = provider.reserve(3 * page, alignment);
        assertThat(address % alignment).isZero();
        assertThat(address % page).isZero();
        provider.release(address, 3 * page);
    }

    @Test
    void reserve_fresh_readsAsZeroAndIsWritable() {
        long address = provider.reserve(4 * page, page);
        provider.commit(address, 4 * page);
        assertAll(address, 4 * page, (byte) 0);
        paint(address, 4 * page);
        assertAll(address, 4 * page, PAINT);
        provider.release(address, 4 * page);
    }

    @Test
    void reserve_more_thanAddressesExist_isExhaustion() {
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.reserve(1L << 60, REMAP_GRANULE_BYTES))
                .withMessageContaining("errno=ENOMEM (12)")
                .withMessageContaining("bytes=" + (1L << 60))
                .matches(OsCallException::isExhaustion);
    }

    @Test
    void reserve_largestArguments_isExhaustion() {
        long bytes = Long.MAX_VALUE - page + 1;
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.reserve(bytes, 1L << 62))
                .matches(OsCallException::isExhaustion);
    }

    @Test
    void reserve_badArguments_areNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.reserve(0, page))
                .withMessage(
                        "bytes must be a positive multiple of osPageSize: bytes=0, osPageSize="
                                + page);
        assertThatIllegalArgumentException().isThrownBy(() -> provider.reserve(-page, page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.reserve(page + 1, page));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.reserve(page, 3 * page))
                .withMessage("alignment must be a power of two: alignment=" + 3 * page);
        assertThatIllegalArgumentException().isThrownBy(() -> provider.reserve(page, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.reserve(page, Long.MIN_VALUE));
    }

    @Test
    void release_notAWholeReservation_isRefused() {
        long address = provider.reserve(2 * page, page);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.release(address, page))
                .withMessageStartingWith("only a whole reservation can be released: address=0x")
                .withMessageEndingWith("bytes=" + page + ", reserved=" + 2 * page);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.release(address + page, page))
                .withMessageEndingWith("reserved=none");
        provider.release(address, 2 * page);
    }

    @Test
    void release_twice_isRefused() {
        long address = provider.reserve(page, page);
        provider.release(address, page);
        assertThatIllegalArgumentException().isThrownBy(() -> provider.release(address, page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.commit(address, page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.segment(address, page));
    }

    @Test
    void uncommit_partOfAReservation_readsAsZeroAndTheRestStays() {
        long address = provider.reserve(3 * page, page);
        paint(address, 3 * page);
        provider.uncommit(address + page, page);
        assertAll(address, page, PAINT);
        assertAll(address + page, page, (byte) 0);
        assertAll(address + 2 * page, page, PAINT);
        provider.commit(address + page, page);
        paint(address + page, page);
        assertAll(address, 3 * page, PAINT);
        provider.release(address, 3 * page);
    }

    @Test
    void uncommit_batch_uncommitsExactlyItsRanges() {
        int pages = 3000;
        long address = provider.reserve(pages * page, page);
        paint(address, pages * page);
        long[] addresses = new long[pages];
        long[] sizes = new long[pages];
        int count = 0;
        for (int i = 0; i < pages; i += 2) {
            addresses[count] = address + i * page;
            sizes[count++] = page;
        }
        provider.uncommit(addresses, sizes, count);
        for (int i = 0; i < pages; i++) {
            assertAll(address + i * page, page, i % 2 == 0 ? 0 : PAINT);
        }
        provider.release(address, pages * page);
    }

    @Test
    void uncommit_batchWithABadRange_doesNothing() {
        long address = provider.reserve(2 * page, page);
        paint(address, 2 * page);
        long[] addresses = {address, address + 2 * page};
        long[] sizes = {page, page};
        MemoryProvider direct = provider.delegate();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> direct.uncommit(addresses, sizes, 2))
                .withMessageStartingWith("range must lie inside one reservation: address=0x");
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> direct.uncommit(addresses, sizes, 3));
        direct.uncommit(addresses, sizes, 0);
        assertAll(address, 2 * page, PAINT);
        provider.release(address, 2 * page);
    }

    @Test
    void populate_written_keepsContents() {
        long address = provider.reserve(8 * page, page);
        paint(address + page, page);
        provider.populate(address, 8 * page);
        assertAll(address, page, (byte) 0);
        assertAll(address + page, page, PAINT);
        assertAll(address + 2 * page, 6 * page, (byte) 0);
        provider.release(address, 8 * page);
    }

    @Test
    void ranges_outsideOrUnaligned_areRefusedByEveryCall() {
        long address = provider.reserve(2 * page, page);
        long half = page / 2;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.commit(address + half, page))
                .withMessageStartingWith("address must be a positive multiple of osPageSize");
        assertThatIllegalArgumentException().isThrownBy(() -> provider.commit(address, half));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.commit(address, 3 * page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.populate(address, 3 * page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.uncommit(address, 3 * page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.renew(address, 3 * page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.uncommit(0, page));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.adviseHugePages(address, 3 * page, true));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.segment(address, 3 * page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.segment(address, -1));
        provider.release(address, 2 * page);
    }

    @Test
    void remap_sixteenGranules_movesContentsAndEmptiesTheSource() {
        long bytes = GRANULES * REMAP_GRANULE_BYTES;
        long from = provider.reserve(bytes, REMAP_GRANULE_BYTES);
        long to = provider.reserve(bytes, REMAP_GRANULE_BYTES);
        for (int i = 0; i < GRANULES; i++) {
            // Scattered: the target holds the granules in reverse.
            stamp(from + i * REMAP_GRANULE_BYTES, i + 1);
        }
        for (int i = 0; i < GRANULES; i++) {
            long target = to + (GRANULES - 1 - i) * REMAP_GRANULE_BYTES;
            provider.remap(from + i * REMAP_GRANULE_BYTES, target, REMAP_GRANULE_BYTES);
        }
        for (int i = 0; i < GRANULES; i++) {
            assertStamp(from + i * REMAP_GRANULE_BYTES, 0);
            assertStamp(to + (GRANULES - 1 - i) * REMAP_GRANULE_BYTES, i + 1);
        }
        // Back in one call, from a source that is as many mappings as granules.
        provider.remap(to, from, bytes);
        for (int i = 0; i < GRANULES; i++) {
            assertStamp(from + i * REMAP_GRANULE_BYTES, GRANULES - i);
            assertStamp(to + i * REMAP_GRANULE_BYTES, 0);
        }
        stamp(to, 99);
        assertStamp(to, 99);
        provider.release(from, bytes);
        provider.release(to, bytes);
    }

    @Test
    void remap_badArguments_areNamed() {
        long bytes = 4 * REMAP_GRANULE_BYTES;
        long from = provider.reserve(bytes, REMAP_GRANULE_BYTES);
        long to = from + 2 * REMAP_GRANULE_BYTES;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.remap(from, to + page, REMAP_GRANULE_BYTES))
                .withMessageStartingWith("address must be a positive multiple of granule");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.remap(from + page, to, REMAP_GRANULE_BYTES));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.remap(from, to, page))
                .withMessageStartingWith("bytes must be a positive multiple of granule");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.remap(from, to, 3 * REMAP_GRANULE_BYTES))
                .withMessageStartingWith("source and target must not overlap: from=0x");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.remap(from, from + bytes, REMAP_GRANULE_BYTES))
                .withMessageStartingWith("range must lie inside one reservation");
        provider.release(from, bytes);
    }

    @Test
    void renew_painted_readsAsZeroAndIsWritable() {
        long address = provider.reserve(3 * page, page);
        paint(address, 3 * page);
        provider.renew(address + page, page);
        assertAll(address, page, PAINT);
        assertAll(address + page, page, (byte) 0);
        paint(address + page, page);
        assertAll(address, 3 * page, PAINT);
        provider.release(address, 3 * page);
    }

    @Test
    void adviseHugePages_anyAnswer_keepsContents() {
        long address = provider.reserve(2 * page, page);
        paint(address, 2 * page);
        boolean taken = provider.adviseHugePages(address, 2 * page, false);
        assertThat(provider.canUncommit() || !taken).isTrue();
        assertAll(address, 2 * page, PAINT);
        provider.release(address, 2 * page);
    }

    @Test
    void segment_anyRange_hasThatAddressAndSize() {
        long address = provider.reserve(2 * page, page);
        MemorySegment segment = provider.segment(address + 3, 5);
        assertThat(segment.address()).isEqualTo(address + 3);
        assertThat(segment.byteSize()).isEqualTo(5);
        assertThat(provider.segment(address + 2 * page, 0).byteSize()).isZero();
        provider.release(address, 2 * page);
    }

    @Test
    void limits_always_nameTheOsPage() {
        assertThat(page).isGreaterThanOrEqualTo(4096);
        assertThat(provider.name()).isNotBlank();
    }

    private void paint(long address, long bytes) {
        provider.segment(address, bytes).fill(PAINT);
    }

    private void assertAll(long address, long bytes, byte expected) {
        MemorySegment model = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
        model.fill(expected);
        assertThat(provider.segment(address, bytes).mismatch(model)).isEqualTo(-1);
    }

    /** Writes a number into the first and the last word of a granule. */
    private void stamp(long address, long value) {
        MemorySegment granule = provider.segment(address, REMAP_GRANULE_BYTES);
        granule.set(ValueLayout.JAVA_LONG, 0, value);
        granule.set(ValueLayout.JAVA_LONG, REMAP_GRANULE_BYTES - Long.BYTES, value);
    }

    private void assertStamp(long address, long value) {
        MemorySegment granule = provider.segment(address, REMAP_GRANULE_BYTES);
        assertThat(granule.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(value);
        assertThat(granule.get(ValueLayout.JAVA_LONG, REMAP_GRANULE_BYTES - Long.BYTES))
                .isEqualTo(value);
    }
}
