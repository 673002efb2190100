package io.polder.memory;

/**
 * Numbers of the Linux ABI, for x86-64 and aarch64. Protections, flags and advice are the same on
 * both, from the kernel's generic headers ({@code asm-generic/mman-common.h}, {@code linux/mman.h},
 * {@code linux/membarrier.h}). System calls are numbered by {@code asm/unistd_64.h} on x86-64 and
 * by {@code asm-generic/unistd.h} on aarch64; young ones have one number everywhere. An
 * architecture with flags of its own gets a file of its own.
 */
final class LinuxConstants {

    static final int PROT_NONE = 0;
    static final int PROT_READ = 1;
    static final int PROT_WRITE = 2;

    static final int MAP_PRIVATE = 0x02;
    static final int MAP_FIXED = 0x10;
    static final int MAP_ANONYMOUS = 0x20;

    /** Not counted against the commit limit, unless overcommit is switched off for the machine. */
    static final int MAP_NORESERVE = 0x4000;

    /**
     * Since 4.17. Never replaces a mapping; an older kernel takes the address for a mere wish, so
     * the address of the result has to be looked at.
     */
    static final int MAP_FIXED_NOREPLACE = 0x100000;

    static final int MREMAP_MAYMOVE = 1;
    static final int MREMAP_FIXED = 2;

    /** Since 5.7. Leaves the source mapped, and empty, so that nobody else can be mapped there. */
    static final int MREMAP_DONTUNMAP = 4;

    static final int MADV_DONTNEED = 4;
    static final int MADV_HUGEPAGE = 14;
    static final int MADV_NOHUGEPAGE = 15;

    /** Since 5.14. */
    static final int MADV_POPULATE_WRITE = 23;

    /** Since 4.14. Fences every thread of this process that runs; it has to register before. */
    static final int MEMBARRIER_CMD_PRIVATE_EXPEDITED = 1 << 3;

    static final int MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED = 1 << 4;

    private static final boolean AARCH64 = System.getProperty("os.arch", "").equals("aarch64");

    static final long SYS_MMAP = AARCH64 ? 222 : 9;
    static final long SYS_MPROTECT = AARCH64 ? 226 : 10;
    static final long SYS_MUNMAP = AARCH64 ? 215 : 11;
    static final long SYS_MREMAP = AARCH64 ? 216 : 25;
    static final long SYS_MINCORE = AARCH64 ? 232 : 27;
    static final long SYS_MADVISE = AARCH64 ? 233 : 28;
    static final long SYS_CLOSE = AARCH64 ? 57 : 3;
    static final long SYS_PRLIMIT64 = AARCH64 ? 261 : 302;
    static final long SYS_MEMBARRIER = AARCH64 ? 283 : 324;

    /** Since 5.10; for the advice used here and on oneself since 6.13. */
    static final long SYS_PROCESS_MADVISE = 440;

    /** Since 6.15. Names the running thread, and with it the process; no descriptor is opened. */
    static final int PIDFD_SELF = -10_000;

    /** The limit on what is private and may be written, of {@code asm-generic/resource.h}. */
    static final int RLIMIT_DATA = 2;

    /** The limit on the bytes of address space. */
    static final int RLIMIT_AS = 9;

    /** The entry of the auxiliary vector that holds the bytes of an OS page. */
    static final long AT_PAGESZ = 6;

    private LinuxConstants() {}
}
