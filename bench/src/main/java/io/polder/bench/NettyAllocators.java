package io.polder.bench;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.polder.netty.PolderByteBufAllocator;

/** Who allocates Netty's buffers, and flags under which all of them do as in an event loop. */
final class NettyAllocators {
    static final String NO_LEAK_DETECTION = "-Dio.netty.leakDetection.level=disabled";

    /** Threads of JMH have the caches of the pooled allocator that Netty's event loops have. */
    static final String CACHES = "-Dio.netty.allocator.useCacheForAllThreads=true";

    /** The same for the adaptive one. */
    static final String MAGAZINES =
            "-Dio.netty.allocator.useCachedMagazinesForNonEventLoopThreads=true";

    private NettyAllocators() {}

    /** The one of a name; Netty's unpooled one for any other. */
    static ByteBufAllocator named(String name) {
        return switch (name) {
            case "polder" -> PolderByteBufAllocator.DEFAULT;
            case "adaptive" -> new AdaptiveByteBufAllocator(true);
            case "pooled" -> new PooledByteBufAllocator(true);
            default -> UnpooledByteBufAllocator.DEFAULT;
        };
    }
}
