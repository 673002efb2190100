package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Real system calls, except that those of one name are refused, from the first or from a later one
 * on, or that a call is cut short by an error before it is made. Logs the names of all calls in
 * order.
 */
class RefusingCalls extends LinuxCalls {

    private @Nullable String refused;
    private int errno;
    private long skip;
    private @Nullable Error errorOfRefused;
    private @Nullable Error error;
    private int errorsFrom;
    private int errors;
    private final List<String> log = new ArrayList<>();

    /** Refuses every call of this name after letting some through. */
    void refuse(String call, int withErrno, long after) {
        refused = call;
        errorOfRefused = null;
        errno = withErrno;
        skip = after;
    }

    /** Cuts calls of all names off, after letting some through. */
    void cutOff(Error thrown, int after, int count) {
        error = thrown;
        errorsFrom = log.size() + after;
        errors = count;
    }

    /** Cuts every call of this name off after letting some through. */
    void cutOff(String call, Error thrown, long after) {
        refuse(call, 0, after);
        errorOfRefused = thrown;
    }

    /** Whether a call has been cut short since that was said. */
    boolean hasCutOff() {
        return log.size() > errorsFrom;
    }

    void allow() {
        refused = null;
        error = null;
    }

    /** The names of the calls made so far, refused ones included. */
    List<String> log() {
        return log;
    }

    private boolean refuses(String call) {
        int index = log.size();
        log.add(call);
        if (error != null && index >= errorsFrom && index < errorsFrom + errors) {
            throw error;
        }
        boolean refuses = call.equals(refused) && skip-- <= 0;
        if (refuses && errorOfRefused != null) {
            throw errorOfRefused;
        }
        return refuses;
    }

    @Override
    long mmap(long address, long bytes, int protection, int flags) {
        boolean noReplace = (flags & LinuxConstants.MAP_FIXED_NOREPLACE) != 0;
        boolean fixed = (flags & LinuxConstants.MAP_FIXED) != 0;
        String name = noReplace ? "mmap(NOREPLACE)" : fixed ? "mmap(FIXED)" : "mmap";
        return refuses(name) ? -errno : super.mmap(address, bytes, protection, flags);
    }

    @Override
    long munmap(long address, long bytes) {
        return refuses("munmap") ? -errno : super.munmap(address, bytes);
    }

    @Override
    long mprotect(long address, long bytes, int protection) {
        return refuses("mprotect") ? -errno : super.mprotect(address, bytes, protection);
    }

    @Override
    long madvise(long address, long bytes, int advice) {
        return refuses("madvise") ? -errno : super.madvise(address, bytes, advice);
    }

    @Override
    long mremap(long from, long to, long bytes, int flags) {
        boolean fixed = (flags & LinuxConstants.MREMAP_FIXED) != 0;
        return refuses(fixed ? "mremap" : "mremap(ANYWHERE)")
                ? -errno
                : super.mremap(from, to, bytes, flags);
    }

    @Override
    long membarrier(int command) {
        boolean fence = command == LinuxConstants.MEMBARRIER_CMD_PRIVATE_EXPEDITED;
        return refuses(fence ? "membarrier" : "membarrier(REGISTER)")
                ? -errno
                : super.membarrier(command);
    }

    @Override
    long processMadvise(long[] addresses, long[] sizes, int first, int count, int advice) {
        return refuses("process_madvise")
                ? -errno
                : super.processMadvise(addresses, sizes, first, count, advice);
    }

    @Override
    long mincore(long address, long bytes) {
        return refuses("mincore") ? -errno : super.mincore(address, bytes);
    }
}
