package io.polder.memory;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * System calls of which one in so many is refused for want of memory, as a kernel may refuse any of
 * them. A call that is refused has no effect.
 *
 * <p>Thread-safe.
 */
final class FaultyCalls extends LinuxCalls {
    private final int oneIn;
    private final LongAdder made = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private volatile boolean quiet;

    FaultyCalls(int oneIn) {
        this.oneIn = oneIn;
    }

    /** Refuses no call, or some again. */
    void quiet(boolean quiet) {
        this.quiet = quiet;
    }

    long made() {
        return made.sum();
    }

    long refused() {
        return refused.sum();
    }

    private boolean refuses() {
        made.increment();
        if (quiet || ThreadLocalRandom.current().nextInt(oneIn) != 0) {
            return false;
        }
        refused.increment();
        return true;
    }

    @Override
    long mmap(long address, long bytes, int protection, int flags) {
        return refuses() ? -Errno.ENOMEM : super.mmap(address, bytes, protection, flags);
    }

    @Override
    long munmap(long address, long bytes) {
        return refuses() ? -Errno.ENOMEM : super.munmap(address, bytes);
    }

    @Override
    long mprotect(long address, long bytes, int protection) {
        return refuses() ? -Errno.ENOMEM : super.mprotect(address, bytes, protection);
    }

    @Override
    long madvise(long address, long bytes, int advice) {
        return refuses() ? -Errno.EAGAIN : super.madvise(address, bytes, advice);
    }

    @Override
    long mremap(long from, long to, long bytes, int flags) {
        return refuses() ? -Errno.ENOMEM : super.mremap(from, to, bytes, flags);
    }

    @Override
    long processMadvise(long[] addresses, long[] sizes, int first, int count, int advice) {
        return refuses()
                ? -Errno.EAGAIN
                : super.processMadvise(addresses, sizes, first, count, advice);
    }

    @Override
    long mincore(long address, long bytes) {
        return refuses() ? -Errno.EAGAIN : super.mincore(address, bytes);
    }
}
