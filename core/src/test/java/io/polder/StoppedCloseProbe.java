package io.polder;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;

/** A deferred arena has the process stopped while it is closed, and a thread wants its memory. */
final class StoppedCloseProbe {
    private static final long LIMIT = 4 << 20;
    private static final long MOST = 3 << 20;

    private StoppedCloseProbe() {}

    /** Prints {@code granted}. */
    @SuppressWarnings("restricted")
    public static void main(String[] args) throws IOException, InterruptedException {
        Thread wants = Thread.currentThread();
        CountDownLatch begun = new CountDownLatch(1);
        Process stops =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "read go; kill -STOP $0; sleep 1.2; kill -CONT $0; sleep 0.3",
                                String.valueOf(ProcessHandle.current().pid()))
                        .start();
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(LIMIT).build()) {
            Arena first = pool.openSharedDeferred();
            Arena arena = pool.openSharedDeferred();
            MemorySegment.Scope actionsOfTheGroup = first.scope();
            MemorySegment.ofAddress(1)
                    .reinterpret(
                            1,
                            arena,
                            _ -> {
                                begun.countDown();
                                while (wants.getState() != Thread.State.TIMED_WAITING) {
                                    Thread.onSpinWait();
                                }
                                stop(stops);
                            });
            if (arena.scope().equals(actionsOfTheGroup)) {
                throw new AssertionError("the arena must have its memory with its action");
            }
            arena.allocate(MOST);
            arena.close();
            begun.await();
            try (Arena confined = pool.openConfined()) {
                confined.allocate(MOST);
                System.out.println("granted");
            }
            first.close();
        }
    }

    private static void stop(Process stops) {
        try {
            stops.getOutputStream().close(); // it reads on
            stops.waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("nobody interrupts it", e);
        }
    }
}
