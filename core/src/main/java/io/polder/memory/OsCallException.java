package io.polder.memory;

import java.io.Serial;

/**
 * A call that the operating system refused: which call, the errno, the range.
 *
 * <p>The memory layer throws it and translates nothing. Exhaustion becomes an {@link
 * OutOfMemoryError} in the layer that hands memory to users (arenas, pages), because only that
 * layer knows whether it can do with less first: see {@link MemoryExhaustedException#refused}.
 */
public final class OsCallException extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    private final int errno;
    private final int done;

    /** A call that had no effect. */
    public OsCallException(String call, int errno, long address, long bytes) {
        this(call, errno, address, bytes, 0);
    }

    /**
     * A call on several ranges or granules, of which some were done before the failure.
     *
     * @param call the system call and its advice, as in {@code madvise(MADV_DONTNEED)}
     * @param errno the error number of the operating system; see {@link Errno}
     * @param address where the part that failed begins; zero if the call names none
     * @param bytes the size of that part
     * @param done how many ranges or granules the call had finished
     */
    public OsCallException(String call, int errno, long address, long bytes, int done) {
        super(
                Message.of(
                        "the operating system must carry out %: errno=%, address=0x%, bytes=%,"
                                + " done=%",
                        call, Errno.describe(errno), address, bytes, done));
        this.errno = errno;
        this.done = done;
    }

    /** The error number of the operating system. */
    public int errno() {
        return errno;
    }

    /** How many ranges of a batch, or granules of a remap, were finished before the failure. */
    public int done() {
        return done;
    }

    /**
     * Whether memory, address space or mappings ran out, as opposed to a call that can never work.
     */
    public boolean isExhaustion() {
        return errno == Errno.ENOMEM || errno == Errno.EAGAIN;
    }
}
