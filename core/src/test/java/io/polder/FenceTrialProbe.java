package io.polder;

import io.polder.gate.GateFence;

import java.util.concurrent.TimeUnit;

/**
 * Uses blocks until the fence of gates is found good, or for two minutes, and prints how it is.
 * Argument: how many threads take processors meanwhile.
 */
final class FenceTrialProbe {
    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(2);

    private FenceTrialProbe() {}

    public static void main(String[] args) {
        for (int i = Integer.parseInt(args[0]); i > 0; i--) {
            Thread.ofPlatform().daemon().start(FenceTrialProbe::spin);
        }
        BlockAllocator blocks = MemoryPool.common().blocks();
        GateFence fence = GateFence.choose();
        long start = System.nanoTime();
        while (!fence.isAsymmetric() && System.nanoTime() - start < NANOS_MAX) {
            blocks.free(blocks.allocate(100));
        }
        long block = blocks.allocate(100); // by the owner itself, from now on
        blocks.free(block);
        System.out.println(Runtime.getRuntime().availableProcessors() + " processors");
        System.out.println(fence.reason());
    }

    private static void spin() {
        while (true) {
            Thread.onSpinWait();
        }
    }
}
