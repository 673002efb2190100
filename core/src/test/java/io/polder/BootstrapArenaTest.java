package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** What one of the first arenas has is counted while threads use and close it. */
class BootstrapArenaTest {
    private static final int ROUNDS = 10_000_000;

    /** An arena that another thread closes whenever this one has allocated. */
    private record Closed(MemorySegment.Scope scope) implements Arena {
        @Override
        public MemorySegment allocate(long byteSize, long byteAlignment) {
            return MemorySegment.NULL;
        }

        @Override
        public void close() {}
    }

    @Test
    void allocate_whileAnotherThreadCloses_neverCountsLessThanNothing() {
        Arena jdk = Arena.ofShared();
        jdk.close();
        AtomicLong ofAll = new AtomicLong();
        BootstrapArena arena = new BootstrapArena(new Closed(jdk.scope()), ofAll);
        Runnable allocates =
                () -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        arena.allocate(8, 8);
                    }
                };
        Thread other = Thread.ofPlatform().start(allocates);
        long least = 0;
        while (other.isAlive()) {
            arena.close();
            least = Math.min(least, ofAll.get());
        }
        Await.end(other);
        arena.close();
        assertThat(least).isZero();
        assertThat(ofAll).hasValue(0);
    }
}
