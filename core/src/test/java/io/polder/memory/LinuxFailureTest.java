package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Every system call is refused in turn: no mapping leaks, none is lost, nothing aborts. */
@EnabledOnOs(OS.LINUX)
class LinuxFailureTest {

    private static final long GRANULE = REMAP_GRANULE_BYTES;

    private final RefusingCalls calls = new RefusingCalls();
    private final LinuxMemoryProvider provider =
            LinuxProviders.with(calls, LinuxProviders.features());
    private final long page = provider.osPageSize();

    @Test
    void reserve_mmapRefused_throws() {
        calls.refuse("mmap", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.reserve(GRANULE, GRANULE))
                .withMessageContaining("mmap: errno=ENOMEM (12)");
        assertThat(calls.log()).containsExactly("mmap");
    }

    @Test
    void reserve_trimRefused_unmapsWhatItMappedOrDoesSoLater() {
        long large = 1L << 36;
        long before = ProcessCheck.mappedBytes();
        for (int after = 0; after < 2; after++) {
            calls.allow();
            calls.log().clear();
            calls.refuse("munmap", Errno.ENOMEM, after);
            // So large an alignment that both ends have to be unmapped.
            OsCallException failure =
                    catchThrowableOfType(
                            OsCallException.class, () -> provider.reserve(page, large));
            assertThat(failure).hasMessageContaining("carry out munmap:");
            assertThat(calls.log()).containsOnlyOnce("mmap").doesNotContain("mprotect");
            // The way back is refused as well: both ends have been left, or one.
            assertThat(ProcessCheck.mappedBytes()).isGreaterThan(before + page);
        }
        calls.allow();
        provider.release(provider.reserve(page, page), page);
        // Other threads of the JVM map a little meanwhile.
        assertThat(ProcessCheck.mappedBytes()).isLessThan(before + large / 16);
    }

    @Test
    void reserve_mprotectRefused_unmapsEverything() {
        long gibibyte = 1L << 30;
        long before = ProcessCheck.mappedBytes();
        calls.refuse("mprotect", Errno.ENOMEM, 0);
        for (int i = 0; i < 20; i++) {
            assertThatExceptionOfType(OsCallException.class)
                    .isThrownBy(() -> provider.reserve(gibibyte, gibibyte))
                    .withMessageContaining("mprotect: errno=ENOMEM (12)");
        }
        // Other threads of the JVM map a little meanwhile.
        assertThat(ProcessCheck.mappedBytes()).isLessThan(before + 10 * gibibyte);
        assertThat(calls.log()).endsWith("mprotect", "munmap");
    }

    @Test
    void release_refused_keepsTheReservation() {
        long address = provider.reserve(GRANULE, GRANULE);
        NativeAccess.view(address, page).fill((byte) 1);
        calls.refuse("munmap", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.release(address, GRANULE))
                .withMessageContaining("munmap: errno=ENOMEM (12)");
        assertThat(NativeAccess.view(address, page).get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) 1);
        calls.allow();
        provider.release(address, GRANULE);
    }

    @Test
    void populate_refused_throws() {
        long address = provider.reserve(page, page);
        calls.refuse("madvise", 133, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.populate(address, page))
                .withMessageContaining("madvise(MADV_POPULATE_WRITE): errno=EHWPOISON (133)");
        provider.release(address, page);
    }

    /** As by kernels that do not have it, and by sandboxes. */
    @ParameterizedTest
    @ValueSource(ints = {Errno.EINVAL, Errno.EPERM, Errno.ENOSYS})
    void populate_notThere_doesNothing(int errno) {
        long address = provider.reserve(page, page);
        calls.refuse("madvise", errno, 0);
        provider.populate(address, page);
        assertThat(calls.log()).endsWith("madvise");
        calls.allow();
        NativeAccess.view(address, page).fill((byte) 1);
        provider.release(address, page);
    }

    @Test
    void uncommit_refused_keepsMemory() {
        long address = provider.reserve(page, page);
        NativeAccess.view(address, page).fill((byte) 1);
        calls.refuse("madvise", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.uncommit(address, page))
                .matches(OsCallException::isExhaustion);
        assertThat(NativeAccess.view(address, page).get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) 1);
        provider.release(address, page);
    }

    @Test
    void givesBack_uncommitRefusedForGood_isFalseUntilOneWorks() {
        List<OsCallException> told = new ArrayList<>();
        provider.onRefusedUncommit(told::add);
        long address = provider.reserve(page, page);
        calls.refuse("madvise", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.uncommit(address, page));
        assertThat(provider.givesBack()).isTrue();
        assertThat(told).isEmpty();
        calls.refuse("madvise", Errno.EPERM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.uncommit(address, page));
        assertThat(provider.givesBack()).isFalse();
        assertThat(provider.canUncommit()).isTrue();
        assertThat(told).singleElement().matches(each -> each.errno() == Errno.EPERM);
        calls.allow();
        provider.uncommit(address, page);
        assertThat(provider.givesBack()).isTrue();
        provider.release(address, page);
    }

    @Test
    void uncommit_batchCallRefusedLater_goesOneByOne() {
        calls.refuse("process_madvise", Errno.EPERM, 0);
        assertBatchWorks(provider);
    }

    /** As by kernels that do not have it or cannot name the process itself, and by sandboxes. */
    @ParameterizedTest
    @ValueSource(ints = {Errno.EBADF, Errno.ENOSYS, Errno.EPERM})
    void uncommit_batchNotAvailable_isNotAskedForAgain(int errno) {
        calls.refuse("process_madvise", errno, 0);
        assertBatchWorks(provider);
        assertThat(calls.log()).containsOnlyOnce("process_madvise");
        calls.allow();
        calls.log().clear();
        assertBatchWorks(provider);
        assertThat(calls.log()).doesNotContain("process_madvise");
    }

    /** As where a program has locked the first range, or something has run out. */
    @ParameterizedTest
    @ValueSource(ints = {Errno.EINVAL, Errno.EAGAIN, Errno.ENOMEM})
    void uncommit_batchRefusedOnce_isAskedForAgain(int errno) {
        calls.refuse("process_madvise", errno, 0);
        assertBatchWorks(provider);
        calls.allow();
        calls.log().clear();
        assertBatchWorks(provider);
        assertThat(calls.log()).contains("process_madvise");
    }

    /** Where the kernel has it, one call gives all back. */
    @Test
    void uncommit_batch_isOneCall() {
        assertBatchWorks(provider);
        if (provider.batches) {
            assertThat(calls.log()).containsOnlyOnce("process_madvise").doesNotContain("madvise");
        }
    }

    @Test
    void uncommit_batchStopsShort_isContinued() {
        RefusingCalls stopping =
                new RefusingCalls() {
                    @Override
                    long processMadvise(
                            long[] all, long[] sizes, int first, int count, int advice) {
                        return super.processMadvise(all, sizes, first, Math.min(count, 2), advice);
                    }
                };
        assertBatchWorks(LinuxProviders.with(stopping, LinuxProviders.features()));
    }

    private void assertBatchWorks(LinuxMemoryProvider tested) {
        int count = 7;
        long address = tested.reserve(count * page, page);
        NativeAccess.view(address, count * page).fill((byte) 1);
        long[] addresses = new long[count];
        long[] sizes = new long[count];
        for (int i = 0; i < count; i++) {
            addresses[i] = address + i * page;
            sizes[i] = page;
        }
        tested.uncommit(addresses, sizes, count);
        assertThat(ProcessMemory.residentBytes(address, count * page)).hasValue(0);
        tested.release(address, count * page);
    }

    @Test
    void residentBytes_mincoreRefused_countsAsAll() {
        long address = provider.reserve(GRANULE, GRANULE);
        NativeAccess.view(address, 3 * page).fill((byte) 1);
        calls.refuse("mincore", Errno.EPERM, 0);
        assertThat(provider.residentBytes(address, 3 * page)).isEqualTo(3 * page);
        assertThat(provider.residentBytes(address + 3 * page, 4 * page)).isEqualTo(4 * page);
        assertThat(calls.log()).endsWith("mincore", "mincore");
        provider.release(address, GRANULE);
    }

    @Test
    void remap_refusedInTheMiddle_saysHowManyAndLosesNoMapping() {
        MovableMemory.assume();
        long bytes = 3 * GRANULE;
        long from = provider.reserve(bytes, GRANULE);
        long to = provider.reserve(bytes, GRANULE);
        NativeAccess.view(from, bytes).fill((byte) 1);
        calls.refuse("mremap", Errno.ENOMEM, 1);
        OsCallException failure =
                catchThrowableOfType(OsCallException.class, () -> provider.remap(from, to, bytes));
        assertThat(failure).hasMessageContaining("carry out mremap:");
        assertThat(failure.done()).isEqualTo(1);
        assertThat(failure).hasMessageContaining("address=0x" + Long.toHexString(from + GRANULE));
        assertThat(NativeAccess.view(to, 1).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
        assertThat(NativeAccess.view(from, bytes).get(ValueLayout.JAVA_BYTE, GRANULE))
                .isEqualTo((byte) 1);
        provider.release(from, bytes);
        provider.release(to, bytes);
    }

    @Test
    void remap_refusedAfterTheTargetWasUnmapped_fillsTheHole() {
        MovableMemory.assume();
        RefusingCalls unmapping =
                new RefusingCalls() {
                    @Override
                    long mremap(long from, long to, long bytes, int flags) {
                        if ((flags & LinuxConstants.MREMAP_FIXED) == 0) {
                            return super.mremap(from, to, bytes, flags);
                        }
                        assertThat(munmap(to, bytes)).isZero();
                        return -Errno.ENOMEM;
                    }
                };
        LinuxMemoryProvider tested = LinuxProviders.with(unmapping, LinuxProviders.features());
        long from = tested.reserve(2 * GRANULE, GRANULE);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> tested.remap(from, from + GRANULE, GRANULE))
                .withMessageContaining("mremap: errno=ENOMEM (12)");
        assertThat(unmapping.log()).endsWith("munmap", "mmap(NOREPLACE)");
        NativeAccess.view(from + GRANULE, GRANULE).fill((byte) 1);
        assertThat(NativeAccess.view(from + GRANULE, GRANULE).get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) 1);
        tested.release(from, 2 * GRANULE);
    }

    @Test
    void renew_refused_staysMapped() {
        long address = provider.reserve(page, page);
        calls.refuse("mmap(FIXED)", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.renew(address, page))
                .withMessageContaining("mmap(MAP_FIXED): errno=ENOMEM (12)");
        NativeAccess.view(address, page).fill((byte) 1);
        provider.release(address, page);
    }

    @Test
    void adviseHugePages_refused_isNoError() {
        long address = provider.reserve(page, page);
        calls.refuse("madvise", Errno.EAGAIN, 0);
        assertThat(provider.adviseHugePages(address, page, true)).isFalse();
        provider.release(address, page);
    }
}
