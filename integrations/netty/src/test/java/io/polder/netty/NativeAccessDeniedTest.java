package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the allocator hands out in a JVM that denies native access. */
@Tag("native-access-denied")
class NativeAccessDeniedTest {
    @Test
    void directBuffer_denied_isOneOfNettys() {
        for (PolderByteBufAllocator allocator :
                new PolderByteBufAllocator[] {
                    PolderByteBufAllocator.DEFAULT, new PolderByteBufAllocator(MemoryPool.common())
                }) {
            ByteBuf buffer = allocator.directBuffer(100);
            assertThat(buffer.isDirect()).isTrue();
            assertThat(buffer.writeLong(7).readLong()).isEqualTo(7);
            assertThat(allocator.metric().usedDirectMemory()).isGreaterThanOrEqualTo(100);
            assertThat(buffer.release()).isTrue();
            assertThat(allocator.isDirectBufferPooled()).isFalse();
        }
    }
}
