package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The examples of the Javadoc do what the text around them says. */
class PoolSnippetsTest {
    @Test
    void greeting_always_comesBack() {
        assertThat(PoolSnippets.greeting()).isEqualTo("Hello from below sea level");
    }

    @Test
    void freeing_always_leavesNothingAllocated() {
        assertThat(PoolSnippets.freeing()).isZero();
    }

    @Test
    void page_always_isGivenBackWhenTheArenaIsClosed() {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            assertThat(PoolSnippets.page(pool)).isEqualTo(32 << 20);
            assertThat(pool.stats().pages().takenPages()).isZero();
        }
    }

    @Test
    void block_always_isFreed() {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            assertThat(PoolSnippets.block(pool)).isEqualTo("from one thread to another".length());
            pool.trim();
            assertThat(pool.stats().committedBytes()).isZero();
        }
    }
}
