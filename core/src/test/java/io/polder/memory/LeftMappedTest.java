package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.ValueLayout;
import java.util.List;

/** Addresses that stay mapped when their reservations have ended. */
@EnabledOnOs(OS.LINUX)
class LeftMappedTest {
    private static final long GRANULE = REMAP_GRANULE_BYTES;
    private static final long BYTES = 8 * GRANULE;

    private final RefusingCalls calls = new RefusingCalls();
    private final LinuxMemoryProvider provider =
            LinuxProviders.with(calls, LinuxProviders.features());

    private static void write(long address, long value) {
        Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_LONG, address, value);
    }

    private static long read(long address) {
        return Zeroing.ADDRESS_SPACE.get(ValueLayout.JAVA_LONG, address);
    }

    private static String permissions(long address, long bytes) {
        List<ProcessCheck.Mapping> mappings = ProcessCheck.overlapping(address, bytes);
        assertThat(mappings).hasSize(1);
        return mappings.getFirst().permissions();
    }

    @Test
    void releaseMapped_any_leavesZerosThatCanBeRead() {
        long address = provider.reserve(BYTES, GRANULE);
        write(address, 7);
        write(address + BYTES - 8, 8);
        provider.releaseMapped(address, BYTES);
        assertThat(read(address) | read(address + BYTES - 8)).isZero();
        assertThat(permissions(address, BYTES)).as("not charged").isEqualTo("r--p");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .as("nobody's")
                .isThrownBy(() -> provider.commit(address, GRANULE));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> provider.release(address, BYTES));
    }

    @Test
    void reserve_fitsIntoOneLeft_isThatAndStaysMappedAgain() {
        long small = provider.reserve(BYTES, GRANULE);
        long large = provider.reserve(4 * BYTES, GRANULE);
        provider.releaseMapped(large, 4 * BYTES);
        provider.releaseMapped(small, BYTES);
        long again = provider.reserve(BYTES - GRANULE, GRANULE);
        assertThat(again).as("the smallest that fits").isEqualTo(small);
        assertThat(read(again)).isZero();
        write(again, 9);
        provider.uncommit(again, GRANULE);
        assertThat(read(again)).isZero();
        assertThat(provider.reserve(2 * BYTES, GRANULE)).isEqualTo(large);
        long other = provider.reserve(BYTES, GRANULE);
        assertThat(other).isNotIn(small, large);
        write(again, 9);
        provider.release(again, BYTES - GRANULE);
        provider.release(large, 2 * BYTES);
        provider.release(other, BYTES);
        assertThat(read(small)).as("left mapped again").isZero();
        assertThat(read(large + 4 * BYTES - 8)).isZero();
        assertThat(ProcessCheck.overlapping(other, BYTES)).isEmpty();
        assertThat(provider.reserve(4 * BYTES, GRANULE)).isEqualTo(large);
    }

    @Test
    void reserve_notAlignedSo_isFresh() {
        long address = provider.reserve(BYTES, GRANULE);
        provider.releaseMapped(address, BYTES);
        long alignment = Long.lowestOneBit(address) * 2;
        long other = provider.reserve(GRANULE, alignment);
        assertThat(other).isNotEqualTo(address);
        assertThat(other % alignment).isZero();
        provider.release(other, GRANULE);
    }

    @Test
    void releaseMapped_movedGranules_isOneMappingAgain() {
        if (!provider.canRemap()) {
            return;
        }
        long address = provider.reserve(BYTES, GRANULE);
        for (int i = 0; i < 4; i++) {
            write(address + i * GRANULE, i + 1);
            provider.remap(address + i * GRANULE, address + (7 - i) * GRANULE, GRANULE);
        }
        provider.releaseMapped(address, BYTES);
        assertThat(permissions(address, BYTES)).isEqualTo("r--p");
        assertThat(provider.reserve(BYTES, GRANULE)).isEqualTo(address);
        assertThat(permissions(address, BYTES)).isEqualTo("rw-p");
        provider.releaseMapped(address, BYTES);
    }

    @Test
    void releaseMapped_refused_standsAndCanBeTriedAgain() {
        long address = provider.reserve(BYTES, GRANULE);
        write(address, 7);
        calls.refuse("mmap", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.releaseMapped(address, BYTES));
        calls.allow();
        assertThat(read(address)).isEqualTo(7);
        provider.commit(address, BYTES);
        provider.releaseMapped(address, BYTES);
        assertThat(read(address)).isZero();
    }

    @Test
    void reserve_oneLeftCannotBeMadeWritable_isRefusedAndLeft() {
        long address = provider.reserve(BYTES, GRANULE);
        provider.releaseMapped(address, BYTES);
        calls.refuse("mprotect", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.reserve(BYTES, GRANULE));
        calls.allow();
        assertThat(provider.reserve(BYTES, GRANULE)).isEqualTo(address);
        provider.releaseMapped(address, BYTES);
    }

    @Test
    void plainProvider_releaseMapped_isRelease() {
        PlainMemoryProvider plain = new PlainMemoryProvider();
        assertThat(plain.canReleaseMapped()).isFalse();
        long address = plain.reserve(BYTES, GRANULE);
        plain.releaseMapped(address, BYTES);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> plain.release(address, BYTES));
    }
}
