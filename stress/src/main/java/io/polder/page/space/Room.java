package io.polder.page.space;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Room for so many, without memory, and a line of those who wait for it. */
final class Room {
    /** A wake-up that comes at all comes sooner, however busy the machine is. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final MemoryBudget BUDGET =
            new MemoryBudget(
                    new MemoryLimits(
                            MemoryLimits.ADDRESS_SPACE_BYTES, MemoryLimits.ADDRESS_SPACE_BYTES),
                    "");
    private static final Extent PAGE = new Extent(false);

    /** In which nobody looks for himself: a wake-up that is lost is not made good for. */
    private final WaitQueue line = new WaitQueue(BUDGET, Long.MAX_VALUE);

    private final AtomicInteger left;

    Room(int left) {
        this.left = new AtomicInteger(left);
    }

    private Extent attempt() {
        int now = left.get();
        if (now > 0 && left.compareAndSet(now, now - 1)) {
            return PAGE;
        }
        throw BUDGET.committed.exhausted(1);
    }

    /** Waits in the queue; returns whether it was served. */
    boolean await() {
        return await(LONG_NANOS);
    }

    /** The same with a timeout of zero. */
    boolean tryOnce() {
        return await(0);
    }

    private boolean await(long timeoutNanos) {
        try {
            return line.await(
                            new WaitQueue.Request(1, this::attempt),
                            new Deadline(timeoutNanos, () -> false))
                    == PAGE;
        } catch (MemoryExhaustedException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts an actor", e);
        }
    }

    void give() {
        left.incrementAndGet();
        line.wake();
    }
}
