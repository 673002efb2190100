package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the allocator hands out in a JVM that denies native access. */
@Tag("native-access-denied")
class NativeAccessDeniedTest {
    private static final Logger LOGGER = Logger.getLogger(PolderByteBufAllocator.class.getName());

    /** Keeps what is logged. */
    private static final class Kept extends Handler {
        final List<String> messages = new ArrayList<>();

        @Override
        public synchronized void publish(LogRecord logged) {
            messages.add(logged.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void directBuffer_denied_isOneOfNettysAndThatIsSaidOnce() {
        Kept kept = new Kept();
        LOGGER.addHandler(kept);
        try {
            for (PolderByteBufAllocator allocator :
                    new PolderByteBufAllocator[] {
                        PolderByteBufAllocator.DEFAULT,
                        new PolderByteBufAllocator(MemoryPool.common()),
                        new PolderByteBufAllocator(MemoryPool.common(), false)
                    }) {
                for (int i = 0; i < 10; i++) {
                    ByteBuf buffer = allocator.directBuffer(100);
                    assertThat(buffer.isDirect()).isTrue();
                    assertThat(buffer.writeLong(7).readLong()).isEqualTo(7);
                    assertThat(allocator.metric().usedDirectMemory()).isGreaterThanOrEqualTo(100);
                    assertThat(buffer.release()).isTrue();
                }
                assertThat(allocator.isDirectBufferPooled()).isFalse();
            }
        } finally {
            LOGGER.removeHandler(kept);
        }
        assertThat(kept.messages)
                .hasSize(1)
                .allMatch(message -> message.contains("--enable-native-access=ALL-UNNAMED"));
    }
}
