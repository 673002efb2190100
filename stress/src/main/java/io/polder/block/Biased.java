package io.polder.block;

import java.lang.ref.WeakReference;
import java.util.concurrent.locks.LockSupport;

/** Heaps of a thread that is alive, and never runs. */
final class Biased {
    /** Its id, which no other thread has. */
    static final long OWNER = Long.MAX_VALUE;

    private static final WeakReference<Thread> ALIVE =
            new WeakReference<>(
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        while (true) {
                                            LockSupport.park();
                                        }
                                    }));

    private Biased() {}

    /** Makes one that the thread may enter without the monitor. */
    static ThreadHeap heap() {
        ThreadHeap heap = ThreadHeap.of(Spaces.SPACE);
        synchronized (heap) {
            heap.belongToLocked(OWNER, ALIVE);
            heap.biasLocked();
        }
        return heap;
    }
}
