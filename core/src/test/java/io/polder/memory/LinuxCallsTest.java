package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.invoke.MethodHandle;

/** The kernel's own refusals arrive as negated errnos. All addresses lie where nothing can be. */
@EnabledOnOs(OS.LINUX)
class LinuxCallsTest {

    /** Beyond the address space of both architectures. */
    private static final long NOWHERE = 1L << 60;

    /** A bad address. */
    private static final int EFAULT = 14;

    private static final long GRANULE = MemoryProvider.REMAP_GRANULE_BYTES;

    private final LinuxCalls calls = new LinuxCalls();
    private final long page = AuxiliaryVector.osPageSize();

    @Test
    void link_noSuchSymbol_refusesEveryCall() {
        MethodHandle none = LinuxCalls.link("polder_has_no_such_symbol");
        long getpid = System.getProperty("os.arch").equals("aarch64") ? 172 : 39;
        assertThat(LinuxCalls.call(none, getpid, 0, 0, 0, 0, 0, 0)).isEqualTo(-Errno.ENOSYS);
        MethodHandle syscall = LinuxCalls.link("syscall");
        assertThat(LinuxCalls.call(syscall, getpid, 0, 0, 0, 0, 0, 0))
                .isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void call_noSuchNumber_isEnosys() {
        MethodHandle syscall = LinuxCalls.link("syscall");
        assertThat(LinuxCalls.call(syscall, 100_000, 1, 2, 3, 4, 5, 6)).isEqualTo(-Errno.ENOSYS);
    }

    @Test
    void mmap_tooMuch_isEnomem() {
        int flags = LinuxConstants.MAP_PRIVATE | LinuxConstants.MAP_ANONYMOUS;
        assertThat(calls.mmap(0, NOWHERE, LinuxConstants.PROT_NONE, flags))
                .isEqualTo(-Errno.ENOMEM);
        assertThat(
                        calls.mmap(
                                NOWHERE,
                                page,
                                LinuxConstants.PROT_NONE,
                                flags | LinuxConstants.MAP_FIXED))
                .isEqualTo(-Errno.ENOMEM);
    }

    @Test
    void munmap_nowhere_isEinval() {
        assertThat(calls.munmap(NOWHERE, page)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void mprotect_nowhere_isEnomem() {
        assertThat(calls.mprotect(NOWHERE, page, LinuxConstants.PROT_READ))
                .isEqualTo(-Errno.ENOMEM);
    }

    @Test
    @RealKernel // an emulator takes any advice on any address
    void madvise_nowhere_isEnomem() {
        assertThat(calls.madvise(NOWHERE, page, LinuxConstants.MADV_DONTNEED))
                .isEqualTo(-Errno.ENOMEM);
        assertThat(calls.madvise(NOWHERE, page, LinuxConstants.MADV_POPULATE_WRITE))
                .isEqualTo(-Errno.ENOMEM);
        assertThat(calls.madvise(NOWHERE + 1, page, LinuxConstants.MADV_DONTNEED))
                .isEqualTo(-Errno.EINVAL);
    }

    @Test
    void mremap_nowhere_isRefused() {
        int flags =
                LinuxConstants.MREMAP_MAYMOVE
                        | LinuxConstants.MREMAP_FIXED
                        | LinuxConstants.MREMAP_DONTUNMAP;
        long result = calls.mremap(NOWHERE, 2 * NOWHERE, GRANULE, flags);
        assertThat(result).isIn((long) -Errno.EINVAL, (long) -EFAULT);
    }

    @Test
    void processMadvise_nowhere_isRefused() {
        long[] addresses = {NOWHERE, NOWHERE};
        long[] sizes = {page, page};
        long result = calls.processMadvise(addresses, sizes, 0, 2, LinuxConstants.MADV_DONTNEED);
        // Whatever is looked at first: the descriptor, the ranges, or by a sandbox the call.
        assertThat(-result)
                .isIn(
                        (long) Errno.EBADF,
                        (long) EFAULT,
                        (long) Errno.ENOMEM,
                        (long) Errno.ENOSYS,
                        (long) Errno.EPERM);
    }
}
