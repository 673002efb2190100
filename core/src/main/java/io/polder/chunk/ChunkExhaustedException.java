package io.polder.chunk;

import io.polder.memory.OsCallException;

import java.io.Serial;

/**
 * Memory that cannot be had: a limit of the space would be exceeded, or the operating system
 * refused a call. Nothing has changed then.
 *
 * <p>The message names the limit and by how much it would be exceeded, or the call. The layer that
 * hands memory to users turns it into an {@link OutOfMemoryError}.
 */
public final class ChunkExhaustedException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    private ChunkExhaustedException(String message) {
        super(message);
    }

    static ChunkExhaustedException committed(Ledger ledger, long bytes) {
        return overLimit(
                "committed", ledger.limits.committedMaxBytes(), ledger.committedBytes, bytes);
    }

    static ChunkExhaustedException reserved(Ledger ledger, long bytes) {
        return overLimit("reserved", ledger.limits.reservedMaxBytes(), ledger.reservedBytes, bytes);
    }

    static ChunkExhaustedException refused(OsCallException cause) {
        ChunkExhaustedException exception =
                new ChunkExhaustedException(String.valueOf(cause.getMessage()));
        exception.initCause(cause);
        return exception;
    }

    private static ChunkExhaustedException overLimit(
            String name, long maxBytes, long nowBytes, long bytes) {
        return new ChunkExhaustedException(
                name
                        + " memory must stay within its limit: "
                        + name
                        + "MaxBytes="
                        + maxBytes
                        + ", "
                        + name
                        + "Bytes="
                        + nowBytes
                        + ", requestedBytes="
                        + bytes
                        + ", exceededByBytes="
                        + (bytes - (maxBytes - nowBytes)));
    }

    /** The error that users see, with this exception as its cause. */
    public OutOfMemoryError toOutOfMemoryError() {
        OutOfMemoryError error = new OutOfMemoryError(getMessage());
        error.initCause(this);
        return error;
    }
}
