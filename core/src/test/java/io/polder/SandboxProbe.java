package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** Uses memory in a process that may not give any back, and tells what the pool says of that. */
final class SandboxProbe {
    private static final int BYTES = 3 << 20;

    private SandboxProbe() {}

    public static void main(String[] args) throws Throwable {
        if (!Sandbox.enter()) {
            System.out.println("no sandbox");
            return;
        }
        try (MemoryPool pool =
                MemoryPool.builder().name("boxed").decay(Duration.ofMillis(20)).build()) {
            System.out.println("before: givesBack=" + pool.stats().givesBack());
            for (int round = 0; round < 20; round++) {
                fill(pool);
                long freed = pool.trim();
                if (freed != 0) {
                    System.out.println("trimmed: " + freed);
                }
            }
            PoolStatistics stats = pool.stats();
            System.out.println("after: givesBack=" + stats.givesBack());
            System.out.println("used=" + (stats.usedBytes() < BYTES ? "little" : "much"));
            System.out.println("committed=" + (stats.committedBytes() < BYTES ? "little" : "much"));
            System.out.println("refused=" + (stats.refusals() > 0));
            System.out.println(pool.report());
        }
        // What tells it is a thread that holds nobody up.
        Await.until("it is told", () -> UncommitRefusalLog.INSTANCE.told);
    }

    private static void fill(MemoryPool pool) {
        try (Arena arena = pool.openConfined()) {
            MemorySegment memory = arena.allocate(BYTES);
            for (long at = 0; at < BYTES; at += 512) {
                if (memory.get(ValueLayout.JAVA_BYTE, at) != 0) {
                    throw new AssertionError("new memory reads as zero: offset=" + at);
                }
            }
            memory.fill((byte) 7);
        }
    }
}
