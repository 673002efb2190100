package io.polder.micrometer;

import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what others do, such as the garbage collector. */
final class Await {
    /** Far longer than anything takes that works. */
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(200);

    private Await() {}

    /** Returns when nobody has it; fails if that never comes. */
    static void unreachable(WeakReference<?> reference) throws InterruptedException {
        long start = System.nanoTime();
        while (!reference.refersTo(null)) {
            if (System.nanoTime() - start > TIMEOUT_NANOS) {
                throw new AssertionError("somebody keeps " + reference.get());
            }
            System.gc();
            Thread.sleep(5);
        }
    }

    /** Returns when something holds; fails if that never comes. */
    static void until(BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > TIMEOUT_NANOS) {
                throw new AssertionError("what is waited for never comes");
            }
            Thread.sleep(5);
        }
    }
}
