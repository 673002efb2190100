package io.polder.memory;

/**
 * Numbers of the Linux ABI, for x86-64 and aarch64. Both take them from the kernel's generic
 * headers ({@code asm-generic/mman-common.h}, {@code linux/mman.h}, {@code asm-generic/unistd.h});
 * the two system calls without a wrapper in every C library are young enough to have one number on
 * all architectures. An architecture with numbers of its own gets a file of its own.
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

    /** Since 5.3. */
    static final long SYS_PIDFD_OPEN = 434;

    /** Since 5.10; for the advice used here and on oneself since 6.13. */
    static final long SYS_PROCESS_MADVISE = 440;

    private LinuxConstants() {}
}
