package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.leak.Collected;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.ref.WeakReference;
import java.util.List;

/** The pools of the process as a program sees them. */
class OpenPoolsTest {
    private static MemoryPool pool(String name) {
        return MemoryPool.builder().name(name).build();
    }

    @Test
    void openPools_builtAndClosed_areListedWhileTheyAreOpen() {
        MemoryPool first = pool("listed");
        MemoryPool second = pool("listed");
        try {
            assertThat(MemoryPool.openPools()).contains(first, second).doesNotHaveDuplicates();
            first.close();
            assertThat(MemoryPool.openPools()).contains(second).doesNotContain(first);
        } finally {
            first.close();
            second.close();
        }
        assertThat(MemoryPool.openPools()).doesNotContain(first, second);
    }

    @Test
    void openPools_closedWithOpenArenas_listThePoolNoMore() {
        MemoryPool pool = pool("closed, in use");
        try (Arena arena = pool.openShared()) {
            arena.allocate(100);
            pool.close();
            assertThat(MemoryPool.openPools()).doesNotContain(pool);
        }
    }

    @Test
    void openPools_commonPool_isTheSameOne() {
        MemoryPool common = MemoryPool.common();
        assertThat(MemoryPool.openPools()).contains(common);
        for (MemoryPool each : MemoryPool.openPools()) {
            if (each.name().equals("common")) {
                assertThatThrownBy(each::close).isInstanceOf(UnsupportedOperationException.class);
            }
        }
    }

    @Test
    void openPools_changed_isRefused() {
        List<MemoryPool> pools = MemoryPool.openPools();
        assertThatThrownBy(pools::clear).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void openPools_poolIsForgotten_keepItNot() {
        WeakReference<MemoryPool> forgotten = new WeakReference<>(pool("forgotten, and listed"));
        assertThat(listed("forgotten, and listed")).isLessThanOrEqualTo(1);
        Collected.until("it is unreachable", () -> forgotten.refersTo(null));
        assertThat(listed("forgotten, and listed")).isZero();
    }

    private static long listed(String name) {
        return MemoryPool.openPools().stream().filter(pool -> pool.name().equals(name)).count();
    }

    @Test
    void number_ofPoolsOfOneName_isTheirOrder() {
        MemoryPool first = pool("numbered");
        try (MemoryPool second = pool("numbered");
                MemoryPool other = pool("numbered otherwise")) {
            assertThat(first.number()).isEqualTo(1);
            assertThat(second.number()).isEqualTo(2);
            assertThat(other.number()).isEqualTo(1);
            first.close();
            try (MemoryPool third = pool("numbered")) {
                assertThat(third.number()).isEqualTo(3);
            }
        } finally {
            first.close();
        }
    }
}
