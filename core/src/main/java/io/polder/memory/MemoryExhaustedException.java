package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.io.Serial;

/**
 * Memory that cannot be had: a limit would be exceeded, or the operating system refused a call.
 * Nothing has changed then.
 *
 * <p>The message names the limit and by how much it would be exceeded, or the call. The layer that
 * hands memory to users turns it into an {@link OutOfMemoryError}.
 */
public final class MemoryExhaustedException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    /** What the limit is called that the size of the machine sets. */
    private static final String MACHINE = "machine";

    /** The name of the limit; null if it is the operating system. */
    private final @Nullable String limit;

    /** Whether it is too much for what is limited when nothing of that is used. */
    private final boolean never;

    /** How much was wanted; 0 if that is not known. */
    private final long requestedBytes;

    private MemoryExhaustedException(
            String message, @Nullable String limit, boolean never, long requestedBytes) {
        super(message);
        this.limit = limit;
        this.never = never;
        this.requestedBytes = requestedBytes;
    }

    /**
     * A limit is in the way.
     *
     * @param name what is limited, such as {@code committed} or {@code reserved}
     * @param maxBytes the limit
     * @param nowBytes how much counted against it
     * @param keptBytes how much must stay free besides, for something else; 0 if nothing
     * @param bytes how much more was wanted
     * @param poolName how messages call the pool; empty if it has no name
     */
    public static MemoryExhaustedException overLimit(
            String name,
            long maxBytes,
            long nowBytes,
            long keptBytes,
            long bytes,
            String poolName) {
        boolean never = bytes > maxBytes; // whatever comes free
        long exceeded = bytes - (never ? maxBytes : maxBytes - nowBytes - keptBytes);
        String kept = keptBytes == 0 ? "" : ", keptFreeBytes=" + keptBytes;
        String how = exceeded > 0 ? "exceededByBytes=" + exceeded : "for which room came meanwhile";
        String pool = poolName.isEmpty() ? "" : ", pool=" + poolName;
        return new MemoryExhaustedException(
                Message.of(
                        "% memory must stay within its limit: %MaxBytes=%, %Bytes=%%,"
                                + " requestedBytes=%, %%",
                        name, name, maxBytes, name, nowBytes, kept, bytes, how, pool),
                name,
                never,
                bytes);
    }

    /** A single allocation is larger than what the machine has. */
    public static MemoryExhaustedException beyondMachine(MachineMemory machine, long bytes) {
        return new MemoryExhaustedException(
                Message.of(
                        "an allocation must fit into the memory and swap of the machine"
                                + " (vm.overcommit_memory=0): requestedBytes=%, memoryBytes=%,"
                                + " swapBytes=%",
                        bytes, machine.memoryBytes(), machine.swapBytes()),
                MACHINE,
                true,
                0);
    }

    /** Whether nobody need wait for it, or make room: it is more than a limit allows at all. */
    public boolean never() {
        return never;
    }

    /** The operating system refused a call, of the JDK's as well. */
    public static MemoryExhaustedException refused(Throwable cause) {
        MemoryExhaustedException exception =
                new MemoryExhaustedException(String.valueOf(cause.getMessage()), null, false, 0);
        exception.initCause(cause);
        return exception;
    }

    /** The name of the limit that is in the way; null if it is the operating system. */
    public @Nullable String limit() {
        return limit;
    }

    /** How much was wanted of what is limited; 0 if that is not known. */
    public long requestedBytes() {
        return requestedBytes;
    }

    /** The same for a thread that has waited in vain, with this exception as its cause. */
    public MemoryExhaustedException afterWaiting(long timeoutNanos) {
        MemoryExhaustedException exception =
                new MemoryExhaustedException(
                        "memory must come free within the timeout: timeoutMillis="
                                + timeoutNanos / 1_000_000
                                + "; "
                                + getMessage(),
                        limit,
                        never,
                        0);
        exception.initCause(this);
        return exception;
    }

    /** The error that users see, with this exception as its cause. */
    public OutOfMemoryError toOutOfMemoryError() {
        return toOutOfMemoryError("");
    }

    /**
     * The same, with a message that says more.
     *
     * @param more what is known besides; empty if nothing is
     */
    public OutOfMemoryError toOutOfMemoryError(String more) {
        OutOfMemoryError error = new OutOfMemoryError(getMessage() + more);
        error.initCause(this);
        return error;
    }
}
