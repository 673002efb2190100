package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;

/**
 * What every {@link MemoryProvider} promises. Each test leaves nothing reserved, and that is
 * checked.
 */
abstract class MemoryProviderContract {

    static final byte PAINT = 0x77;

    FailingMemoryProvider provider = new FailingMemoryProvider(Providers.plain());
    long page;

    abstract MemoryProvider create();

    @BeforeEach
    void createProvider() {
        provider = new FailingMemoryProvider(create());
        page = provider.osPageSize();
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
        assumeTrue(NativeAccess.isAllowed(), "who may not view memory has no use for it");
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
    }

    @Test
    void ranges_outside_areRefused() {
        long address = provider.reserve(2 * page, page);
        assertThatIllegalArgumentException().isThrownBy(() -> provider.commit(address, 3 * page));
        provider.release(address, 2 * page);
    }

    @Test
    void limits_always_nameTheOsPage() {
        assertThat(page).isGreaterThanOrEqualTo(4096);
        assertThat(provider.name()).isNotBlank();
    }

    final void paint(long address, long bytes) {
        NativeAccess.view(address, bytes).fill(PAINT);
    }

    final void assertAll(long address, long bytes, byte expected) {
        MemorySegment model = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
        model.fill(expected);
        assertThat(NativeAccess.view(address, bytes).mismatch(model)).isEqualTo(-1);
    }
}
