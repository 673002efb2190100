package io.polder.memory;

import static io.polder.memory.LinuxConstants.MADV_DONTNEED;
import static io.polder.memory.LinuxConstants.MADV_POPULATE_WRITE;
import static io.polder.memory.LinuxConstants.MAP_ANONYMOUS;
import static io.polder.memory.LinuxConstants.MAP_PRIVATE;
import static io.polder.memory.LinuxConstants.MEMBARRIER_CMD_PRIVATE_EXPEDITED;
import static io.polder.memory.LinuxConstants.MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
import static io.polder.memory.LinuxConstants.MREMAP_DONTUNMAP;
import static io.polder.memory.LinuxConstants.MREMAP_FIXED;
import static io.polder.memory.LinuxConstants.MREMAP_MAYMOVE;
import static io.polder.memory.LinuxConstants.PROT_READ;
import static io.polder.memory.LinuxConstants.PROT_WRITE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.ToLongFunction;

/**
 * What this kernel, behind this sandbox, can do beyond the calls that every Linux has. Tried out,
 * as a rule on two OS pages of scratch memory, and not read from a version number, because seccomp
 * filters and back-ports make version numbers lie.
 *
 * <p>Each feature is tried when it is first asked for, since most programs ask for none while they
 * start. The answer is what the kernel said, and holds for good, unless it said that something had
 * run out: then the feature counts as missing and is tried again next time.
 *
 * <p>Thread-safe: the lock makes sure that no two threads try.
 */
final class LinuxFeatures {

    /** The kernel takes advice on one range at a time only. */
    static final int NO_PIDFD = -1;

    /** No feature at all: what the oldest kernel offers. */
    static final LinuxFeatures NONE = known(false, false, NO_PIDFD);

    /** Stands for a feature that has not been tried. */
    private static final long UNTRIED = -Errno.EAGAIN;

    /** The kernel took the call and did something else. */
    private static final long MISUNDERSTOOD = -Errno.EINVAL;

    /** Written to scratch memory, to be found again or gone. */
    private static final byte MARK = 0x5a;

    private final LinuxCalls calls;
    private final long osPageSize;

    // What the kernel answered: zero or more where it has the feature, else a negated errno.
    private long populateWrite = UNTRIED;
    private long dontUnmap = UNTRIED;
    private long pidfd = UNTRIED;
    private long membarrier = UNTRIED;

    /** Features that nobody has asked for yet, to be tried with these calls. */
    LinuxFeatures(LinuxCalls calls, long osPageSize) {
        this.calls = calls;
        this.osPageSize = osPageSize;
    }

    /** Features that are not tried but told. */
    static LinuxFeatures known(boolean populateWrite, boolean dontUnmap, int pidfd) {
        LinuxFeatures features =
                new LinuxFeatures(new LinuxCalls(), AuxiliaryVector.OS_PAGE_SIZE_MAX);
        features.populateWrite = populateWrite ? 0 : MISUNDERSTOOD;
        features.dontUnmap = dontUnmap ? 0 : MISUNDERSTOOD;
        features.pidfd = pidfd == NO_PIDFD ? MISUNDERSTOOD : pidfd;
        return features;
    }

    /** Whether memory can be populated with an errno for an answer. */
    synchronized boolean populateWrite() {
        if (isOpen(populateWrite)) {
            populateWrite = tryOut(this::tryPopulateWrite);
        }
        return populateWrite >= 0;
    }

    /** Whether a mapping can be moved away and its addresses kept. */
    synchronized boolean dontUnmap() {
        if (isOpen(dontUnmap)) {
            dontUnmap = tryOut(this::tryDontUnmap);
        }
        return dontUnmap >= 0;
    }

    /**
     * The descriptor under which the process gives itself advice on many ranges in one call, or
     * {@link #NO_PIDFD}.
     */
    synchronized int pidfd() {
        if (isOpen(pidfd)) {
            pidfd = tryOut(this::tryPidfd);
        }
        return pidfd >= 0 ? Math.toIntExact(pidfd) : NO_PIDFD;
    }

    /** Whether all threads of the process can be fenced at once; from then on it is registered. */
    synchronized boolean membarrier() {
        if (isOpen(membarrier)) {
            long registered = calls.membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
            membarrier =
                    registered < 0
                            ? registered
                            : calls.membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
        }
        return membarrier >= 0;
    }

    /** Whether an answer may be another one next time. */
    private static boolean isOpen(long answer) {
        return answer == -Errno.EAGAIN
                || answer == -Errno.EINTR
                || answer == -Errno.ENOMEM
                || answer == -Errno.EMFILE
                || answer == -Errno.ENFILE;
    }

    private long tryOut(ToLongFunction<MemorySegment> trial) {
        long bytes = 2 * osPageSize;
        long scratch = calls.mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        if (scratch < 0) {
            return scratch;
        }
        try {
            return trial.applyAsLong(NativeAccess.view(scratch, bytes));
        } finally {
            calls.munmap(scratch, bytes);
        }
    }

    private long tryPopulateWrite(MemorySegment scratch) {
        return calls.madvise(scratch.address(), scratch.byteSize(), MADV_POPULATE_WRITE);
    }

    /** Moves the first page over the second. */
    private long tryDontUnmap(MemorySegment scratch) {
        scratch.set(ValueLayout.JAVA_BYTE, 0, MARK);
        long from = scratch.address();
        long to = from + osPageSize;
        int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
        long moved = calls.mremap(from, to, osPageSize, flags);
        if (moved < 0) {
            return moved; // and there may be no second page to look at
        }
        return moved == to
                        && scratch.get(ValueLayout.JAVA_BYTE, 0) == 0
                        && scratch.get(ValueLayout.JAVA_BYTE, osPageSize) == MARK
                ? moved
                : MISUNDERSTOOD;
    }

    /** Gives the first page back. */
    private long tryPidfd(MemorySegment scratch) {
        long opened = calls.pidfdOpen(calls.getpid());
        if (opened < 0) {
            return opened;
        }
        int descriptor = Math.toIntExact(opened);
        scratch.set(ValueLayout.JAVA_BYTE, 0, MARK);
        long[] addresses = {scratch.address()};
        long[] sizes = {osPageSize};
        long advised = calls.processMadvise(descriptor, addresses, sizes, 0, 1, MADV_DONTNEED);
        if (advised == osPageSize && scratch.get(ValueLayout.JAVA_BYTE, 0) == 0) {
            return opened;
        }
        calls.close(descriptor);
        return advised < 0 ? advised : MISUNDERSTOOD;
    }
}
