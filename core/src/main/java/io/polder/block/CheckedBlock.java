package io.polder.block;

import io.polder.event.Printable;
import io.polder.leak.Trace;
import io.polder.memory.Message;

import org.jspecify.annotations.Nullable;

/**
 * A block that is checked.
 *
 * <pre>{@code
 *   address                 address + bytes          + guard
 *   | what was asked for    | Pattern.GUARD          | rest of the block |     used
 *   | Pattern.FREE, to the end of the guard          | rest of the block |     free
 * }</pre>
 *
 * <p>Guarded by the lock of {@link CheckedBlocks}.
 */
final class CheckedBlock {
    /** What is behind each block at least. */
    static final long GUARD_BYTES = SizeClass.GRAIN_BYTES;

    /** More is not written to for it. */
    private static final long GUARD_BYTES_MAX = 4096;

    final SpanChecks checks;
    final long address;

    /** How much was asked for. */
    long bytes;

    /** Whether a program has it; otherwise it is in quarantine. */
    boolean used;

    /** Whether all of it that is looked at is {@link Pattern#FREE}. */
    boolean painted;

    /** Who freed it; null if it is used. */
    @Nullable Trace freed;

    /** Those that were freed after and before it, in the quarantine. */
    @Nullable CheckedBlock next;

    @Nullable CheckedBlock previous;

    CheckedBlock(SpanChecks checks, long address, long bytes) {
        this.checks = checks;
        this.address = address;
        this.bytes = bytes;
        this.used = true;
    }

    private long guardBytes(long asked) {
        return Math.min(checks.span.blockBytes - asked, GUARD_BYTES_MAX);
    }

    /** For how many bytes it can be used, with a guard behind them. */
    long roomBytes() {
        return checks.span.blockBytes - GUARD_BYTES;
    }

    /** Writes the guard behind so many bytes. */
    void guard(long asked) {
        Pattern.GUARD.fill(address + asked, guardBytes(asked));
    }

    /** Refuses it if the guard was written to; it is whole then. */
    void checkGuard() {
        long at = Pattern.GUARD.mismatch(address + bytes, guardBytes(bytes));
        if (at >= 0) {
            IllegalStateException broken =
                    new IllegalStateException(
                            Message.of(
                                    "what is behind the end of a block must not be written to:"
                                            + " %, state=used, offset=%",
                                    facts(), bytes + at));
            guard(bytes);
            throw broken;
        }
    }

    /** Fills it, once it is free. */
    void paint() {
        Pattern.FREE.fill(address, bytes + guardBytes(bytes));
        painted = true;
    }

    /** What is to be said if it was written to after it was freed; null if it was not. */
    @Nullable IllegalStateException writtenTo() {
        long at = painted ? Pattern.FREE.mismatch(address, bytes + guardBytes(bytes)) : -1;
        return at < 0
                ? null
                : new IllegalStateException(
                        Message.of(
                                "a block must not be written to after it was freed: %, state=free,"
                                        + " offset=%%",
                                facts(), at, freedAt()));
    }

    /** What is to be said where it is free and must not be. */
    IllegalArgumentException notUsed(String rule) {
        return new IllegalArgumentException(rule + ": " + facts() + ", state=free" + freedAt());
    }

    private String facts() {
        return Message.of(
                "address=0x%, pool=%, blockBytes=%, bytes=%",
                address, checks.poolName, checks.span.blockBytes, bytes);
    }

    private String freedAt() {
        Trace by = freed;
        if (by == null) {
            return "";
        }
        StringBuilder text = new StringBuilder(", thread=").append(Printable.of(by.thread()));
        text.append("\nIt was freed:");
        for (String frame : by.lines()) {
            text.append("\n\tat ").append(frame);
        }
        return text.toString();
    }
}
