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
 *   watched --close of the lease--> ended
 *      |                              either, never both: whoever removes it from the watch
 *      +------ garbage collector ---> leaked
 * }</pre>
 */
final class Trace extends PhantomReference<Lease> {
    private final Watch watch;
    private final Kind kind;
    private final String thread;
    private final List<StackFrame> frames;

    /** Plain: who opened it writes, and the collector comes between that and the reader. */
    private long bytes;

    private @Nullable LongSupplier bytesNow;

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
        if (watch.remove(this)) {
            clear();
        }
    }
}
