package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * A program for {@link ChildJvm}: closes deferred arenas with cleanup actions that throw, waits
 * until all memory is back, and prints which actions ran.
 */
@SuppressWarnings("restricted") // the only way to register an action
final class ActionProbe {
    private ActionProbe() {}

    /** Closes the arenas. */
    public static void main(String[] arguments) {
        MemoryPool pool = MemoryPool.builder().decay(Duration.ofMillis(5)).build();
        int[] ran = new int[3];
        for (int i = 0; i < 3; i++) {
            int number = i;
            try (Arena arena = pool.openSharedDeferred()) {
                MemorySegment segment = arena.allocate(2 << 20);
                segment.fill((byte) -1);
                MemorySegment.NULL.reinterpret(
                        0,
                        arena,
                        ignored -> {
                            ran[number]++;
                            fail(number);
                        });
            }
        }
        Await.until("all groups are closed", () -> pool.stats().arenas().deferredGroups() == 0);
        pool.close();
        Await.until("all is released", () -> pool.stats().reservedBytes() == 0);
        System.out.printf("ran=%d,%d,%d%n", ran[0], ran[1], ran[2]);
    }

    private static void fail(int number) {
        switch (number) {
            case 0 -> throw new IllegalArgumentException("thrown by an action");
            case 1 -> throw new StackOverflowError("thrown by an action as well");
            default -> {}
        }
    }
}
