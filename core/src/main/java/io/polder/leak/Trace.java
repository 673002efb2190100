package io.polder.leak;

import org.jspecify.annotations.Nullable;

import java.lang.StackWalker.StackFrame;
import java.lang.ref.PhantomReference;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What is remembered of something that is watched.
 *
 * <pre>{@code
 *   watched --close of the lease--> ended --+
 *      |                                     +--> removed from the watch
 *      +------ garbage collector ---> found -+    and told, if it was not ended
 * }</pre>
 *
 * <p>Whether it was {@code ended} is final once the collector has found it: its lease closes it and
 * is reachable until then. So a leak is told, or its lease was closed, never both. A close that is
 * cut off leaves it ended, and in the watch until it is found.
 */
final class Trace extends PhantomReference<Lease> {
    private final Watch watch;
    private final Kind kind;
    private final String thread;
    private final List<StackFrame> frames;

    /** Plain: who opened it writes, and the collector comes between that and the reader. */
    private long bytes;

    private @Nullable LongSupplier bytesNow;

    /** Plain, like the bytes. */
    private boolean ended;

    /**
     * Begins to watch, once it is added to the watch.
     *
     * @param lease what stands for the owner; only its identity counts here
     * @param frames where it was opened, innermost first
     */
    Trace(Lease lease, Watch watch, Kind kind, List<StackFrame> frames) {
        super(lease, watch.queue());
        this.watch = watch;
        this.kind = kind;
        this.thread = name(Thread.currentThread());
        this.frames = frames;
    }

    /** Most virtual threads have no name. */
    private static String name(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "virtual thread #" + thread.threadId() : name;
    }

    Kind kind() {
        return kind;
    }

    String thread() {
        return thread;
    }

    /** Where it was opened, innermost first, without Polder's own. */
    List<String> openedAt() {
        return frames.stream().map(StackFrame::toString).toList();
    }

    long bytes() {
        LongSupplier now = bytesNow;
        return now == null ? bytes : now.getAsLong();
    }

    void setBytes(long some) {
        bytes = some;
    }

    void setBytes(LongSupplier some) {
        bytesNow = some;
    }

    /** It was closed. */
    void end() {
        ended = true;
        watch.remove(this);
        clear();
    }

    /** Whether it was closed; to be asked once it is found. */
    boolean ended() {
        return ended;
    }
}
