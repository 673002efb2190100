package io.polder;

import io.polder.heap.RelocatingHeap;
import io.polder.heap.space.HeapSpace;
import io.polder.leak.Kind;
import io.polder.leak.LeakDetector;
import io.polder.leak.LeakTracker;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * The heaps of one pool that are open, as far as somebody has them.
 *
 * <p>A heap is numbered when it is opened; a number is not used again. One that becomes unreachable
 * without having been closed disappears from here, and is a leak to the {@link LeakDetector}, if
 * there is one.
 *
 * <p>Thread-safe: guarded by its monitor, in which nothing of others runs.
 */
final class OpenHeaps {
    private final LeakDetector leaks;
    private final List<WeakReference<HeapSpace>> heaps = new ArrayList<>();
    private int lastNumber;

    OpenHeaps(LeakDetector leaks) {
        this.leaks = leaks;
    }

    /** The number of a heap that is about to be opened. */
    synchronized int nextNumber() {
        return ++lastNumber;
    }

    /** Lists a heap that nobody else knows yet. */
    RelocatingHeap open(HeapSpace heap) {
        LeakTracker tracker = leaks.track(Kind.HEAP);
        if (tracker != null) {
            tracker.holds(heap.heldBytes());
        }
        heap.onClose(() -> closed(heap, tracker));
        synchronized (this) {
            heaps.add(new WeakReference<>(heap));
        }
        return heap;
    }

    private void closed(HeapSpace heap, @Nullable LeakTracker tracker) {
        LeakTracker.close(tracker);
        synchronized (this) {
            heaps.removeIf(each -> each.refersTo(heap));
        }
    }

    /**
     * Compacts heaps until one has given something back.
     *
     * @param bytes how much room is wanted
     * @param waits whether to wait for that; otherwise it is only asked for
     * @return whether room was made
     */
    boolean makeRoom(long bytes, boolean waits) {
        for (HeapSpace each : list()) {
            if (each.makeRoom(bytes, waits)) {
                return true;
            }
        }
        return false;
    }

    /** Those that somebody has. No stream: see {@link OpenPools#reachable}. */
    synchronized List<HeapSpace> list() {
        List<HeapSpace> open = new ArrayList<>();
        heaps.removeIf(each -> each.refersTo(null));
        for (WeakReference<HeapSpace> each : heaps) {
            HeapSpace heap = each.get();
            if (heap != null) {
                open.add(heap);
            }
        }
        return open;
    }
}
