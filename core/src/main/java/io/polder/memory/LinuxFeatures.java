package io.polder.memory;

import static io.polder.memory.LinuxConstants.MADV_DONTNEED;
import static io.polder.memory.LinuxConstants.MAP_ANONYMOUS;
import static io.polder.memory.LinuxConstants.MAP_PRIVATE;
import static io.polder.memory.LinuxConstants.MREMAP_DONTUNMAP;
import static io.polder.memory.LinuxConstants.MREMAP_MAYMOVE;
import static io.polder.memory.LinuxConstants.PROT_READ;
import static io.polder.memory.LinuxConstants.PROT_WRITE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What this kernel, behind this sandbox, can do beyond the calls that every Linux has. Tried out on
 * two OS pages of scratch memory, and not read from a version number, because seccomp filters and
 * back-ports make version numbers lie.
 *
 * <p>It is tried when it is first asked for, since most programs do not ask while they start. The
 * answer is what the kernel said, and holds for good, unless it said that something had run out:
 * then the feature counts as missing and is tried again next time.
 *
 * <p><b>Failure.</b> An error in the middle of a trial decides nothing: the next trial is the
 * first.
 *
 * <p>Thread-safe, without a lock: threads that try at the same time get the same answer.
 */
final class LinuxFeatures {

    /** Stands for a feature that has not been tried. */
    private static final long UNTRIED = -Errno.EAGAIN;

    /** The kernel took the call and did something else. */
    private static final long MISUNDERSTOOD = -Errno.EINVAL;

    /** Written to scratch memory, to be found again or gone. */
    private static final byte MARK = 0x5a;

    private final LinuxCalls calls;
    private final long osPageSize;

    /** What the kernel answered: zero or more where it has the feature, else a negated errno. */
    volatile long dontUnmap = UNTRIED;

    /** Features that nobody has asked for yet, to be tried with these calls. */
    LinuxFeatures(LinuxCalls calls, long osPageSize) {
        this.calls = calls;
        this.osPageSize = osPageSize;
    }

    /** Whether a mapping can be moved away and its addresses kept. */
    boolean dontUnmap() {
        if (isOpen(dontUnmap)) {
            dontUnmap = tryOut();
        }
        return dontUnmap >= 0;
    }

    /** Whether an answer may be another one next time. */
    private static boolean isOpen(long answer) {
        return answer == -Errno.EAGAIN || answer == -Errno.EINTR || answer == -Errno.ENOMEM;
    }

    private long tryOut() {
        long bytes = 2 * osPageSize;
        long mapped = calls.mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        if (mapped < 0) {
            return mapped;
        }
        try {
            return tryDontUnmap(NativeAccess.view(mapped, bytes));
        } finally {
            long _ = calls.munmap(mapped, bytes); // refused, it is two pages
        }
    }

    /**
     * Moves the first page to where there is room, uses it again, and gives both back. An emulator
     * may take the last for done: QEMU 7.2 forgets what is mapped where something was moved away.
     * Nothing is replaced, since the kernel may unmap what is to be replaced, and refuse then.
     */
    private long tryDontUnmap(MemorySegment memory) {
        memory.set(ValueLayout.JAVA_BYTE, 0, MARK);
        long from = memory.address();
        long moved = calls.mremap(from, 0, osPageSize, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
        if (moved < 0) {
            return moved;
        }
        if (moved == from) {
            return MISUNDERSTOOD;
        }
        try {
            return isMoved(memory, moved) ? moved : MISUNDERSTOOD;
        } finally {
            long _ = calls.munmap(moved, osPageSize);
        }
    }

    private boolean isMoved(MemorySegment memory, long moved) {
        long from = memory.address();
        MemorySegment there = NativeAccess.view(moved, osPageSize);
        if (memory.get(ValueLayout.JAVA_BYTE, 0) != 0
                || there.get(ValueLayout.JAVA_BYTE, 0) != MARK) {
            return false;
        }
        memory.set(ValueLayout.JAVA_BYTE, 0, MARK);
        if (calls.madvise(from, osPageSize, MADV_DONTNEED) < 0
                || calls.madvise(moved, osPageSize, MADV_DONTNEED) < 0) {
            return true; // refused, which everybody will see who gives memory back
        }
        return memory.get(ValueLayout.JAVA_BYTE, 0) == 0
                && there.get(ValueLayout.JAVA_BYTE, 0) == 0;
    }
}
