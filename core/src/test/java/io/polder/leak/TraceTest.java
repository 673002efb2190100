package io.polder.leak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which frames a trace begins with. */
class TraceTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.polder.MemoryPool",
                "io.polder.arena.ArenaFactory",
                "io.polder.arrow.PolderAllocationManager",
                "io.polder.block.WatchedBlocks$Watched",
                "io.polder.cache.OffHeapCacheBuilder",
                "io.polder.cache.caffeine.CaffeineCache",
                "io.polder.netty.PolderByteBufAllocator",
                "io.netty.buffer.AbstractByteBufAllocator",
                "org.apache.arrow.memory.BaseAllocator",
                "java.lang.foreign.PolderArenas",
                "java.lang.foreign.PolderCallSite2"
            })
    void isBetween_aProgramAndItsMemory_isNotShown(String name) {
        assertThat(Trace.isBetween(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.example.Main",
                "io.polder.LeakProbe",
                "io.polder.lab.Main",
                "io.netty.handler.codec.ByteToMessageDecoder",
                "io.netty.channel.nio.AbstractNioByteChannel",
                "org.apache.arrow.vector.IntVector",
                "java.lang.foreign.Arena"
            })
    void isBetween_aProgramItself_isShown(String name) {
        assertThat(Trace.isBetween(name)).isFalse();
    }
}
