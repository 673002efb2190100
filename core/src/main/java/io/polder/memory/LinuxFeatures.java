package io.polder.memory;

import static io.polder.memory.LinuxConstants.MADV_DONTNEED;
import static io.polder.memory.LinuxConstants.MADV_POPULATE_WRITE;
import static io.polder.memory.LinuxConstants.MAP_ANONYMOUS;
import static io.polder.memory.LinuxConstants.MAP_PRIVATE;
import static io.polder.memory.LinuxConstants.MREMAP_DONTUNMAP;
import static io.polder.memory.LinuxConstants.MREMAP_FIXED;
import static io.polder.memory.LinuxConstants.MREMAP_MAYMOVE;
import static io.polder.memory.LinuxConstants.PROT_READ;
import static io.polder.memory.LinuxConstants.PROT_WRITE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What this kernel, behind this sandbox, can do beyond the calls that every Linux has. Tried out on
 * two OS pages of scratch memory and not read from a version number, because seccomp filters and
 * back-ports make version numbers lie.
 *
 * @param populateWrite whether memory can be populated with an errno for an answer
 * @param dontUnmap whether a mapping can be moved away and its addresses kept
 * @param pidfd the descriptor under which the process gives itself advice on many ranges in one
 *     call, or {@link #NO_PIDFD}
 */
record LinuxFeatures(boolean populateWrite, boolean dontUnmap, int pidfd) {

    /** The kernel takes advice on one range at a time only. */
    static final int NO_PIDFD = -1;

    /** No feature at all: what the oldest kernel offers. */
    static final LinuxFeatures NONE = new LinuxFeatures(false, false, NO_PIDFD);

    /** Written to scratch memory, to be found again or gone. */
    private static final byte MARK = 0x5a;

    /** Whether many ranges can be uncommitted in one call. */
    boolean batches() {
        return pidfd != NO_PIDFD;
    }

    /** Tries each feature. A kernel that refuses even the scratch memory has none. */
    static LinuxFeatures probe(LinuxCalls calls, long osPageSize) {
        long bytes = 2 * osPageSize;
        long scratch = calls.mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        if (scratch < 0) {
            return NONE;
        }
        try {
            MemorySegment memory = NativeAccess.view(scratch, bytes);
            return new LinuxFeatures(
                    calls.madvise(scratch, bytes, MADV_POPULATE_WRITE) >= 0,
                    probeDontUnmap(calls, memory, osPageSize),
                    probePidfd(calls, memory, osPageSize));
        } finally {
            calls.munmap(scratch, bytes);
        }
    }

    /** Moves the first page over the second. */
    private static boolean probeDontUnmap(LinuxCalls calls, MemorySegment memory, long osPageSize) {
        memory.set(ValueLayout.JAVA_BYTE, 0, MARK);
        long from = memory.address();
        long to = from + osPageSize;
        int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
        // A refusal may leave no second page to look at: the result is looked at first.
        return calls.mremap(from, to, osPageSize, flags) == to
                && memory.get(ValueLayout.JAVA_BYTE, 0) == 0
                && memory.get(ValueLayout.JAVA_BYTE, osPageSize) == MARK;
    }

    private static int probePidfd(LinuxCalls calls, MemorySegment memory, long osPageSize) {
        long opened = calls.pidfdOpen(ProcessHandle.current().pid());
        if (opened < 0) {
            return NO_PIDFD;
        }
        int pidfd = Math.toIntExact(opened);
        memory.set(ValueLayout.JAVA_BYTE, 0, MARK);
        long[] addresses = {memory.address()};
        long[] sizes = {osPageSize};
        if (calls.processMadvise(pidfd, addresses, sizes, 0, 1, MADV_DONTNEED) == osPageSize
                && memory.get(ValueLayout.JAVA_BYTE, 0) == 0) {
            return pidfd;
        }
        calls.close(pidfd);
        return NO_PIDFD;
    }
}
