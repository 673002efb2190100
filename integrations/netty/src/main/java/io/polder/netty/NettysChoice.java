package io.polder.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.jspecify.annotations.Nullable;

/**
 * The allocator that Netty chooses as its default where Polder is not: heap buffers come from it,
 * so that they are as they were.
 *
 * <p>Where Polder's agent has put Polder's allocator there, the agent gives what Netty had chosen.
 *
 * <p>Thread-safe.
 */
final class NettysChoice {
    private static volatile @Nullable ByteBufAllocator given;

    private NettysChoice() {}

    /** Takes {@code chosen} for what Netty has chosen. The agent calls it by reflection. */
    static void give(Object chosen) {
        given = (ByteBufAllocator) chosen;
    }

    /** What Netty has chosen; not to be called while Netty chooses. */
    static ByteBufAllocator get() {
        ByteBufAllocator known = given;
        if (known == null) {
            ByteBufAllocator its = ByteBufAllocator.DEFAULT; // may have Netty choose, and it given
            known = its instanceof PolderByteBufAllocator ? given : its;
        }
        return known == null || known instanceof PolderByteBufAllocator
                ? UnpooledByteBufAllocator.DEFAULT
                : known;
    }
}
