package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** What a {@link MemoryProvider} promises besides that can give memory back before a release. */
abstract class GivingContract extends MemoryProviderContract {

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
    void remap_outside_isRefused() {
        long bytes = 4 * REMAP_GRANULE_BYTES;
        long from = provider.reserve(bytes, REMAP_GRANULE_BYTES);
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
        boolean _ = provider.adviseHugePages(address, 2 * page, false);
        assertAll(address, 2 * page, PAINT);
        provider.release(address, 2 * page);
    }

    @Test
    void ranges_outside_areRefusedByEveryCall() {
        long address = provider.reserve(2 * page, page);
        assertThatIllegalArgumentException().isThrownBy(() -> provider.populate(address, 3 * page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.uncommit(address, 3 * page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.renew(address, 3 * page));
        assertThatIllegalArgumentException().isThrownBy(() -> provider.uncommit(0, page));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.adviseHugePages(address, 3 * page, true));
        provider.release(address, 2 * page);
    }
}
