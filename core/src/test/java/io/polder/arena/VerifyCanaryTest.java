package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;

/** Each {@code verify()} throws when the state it looks at was broken on purpose. */
class VerifyCanaryTest {
    private static final int OWNED = ThreadCache.OWNED;
    private static final int COUNT = ThreadCache.COUNT;

    private static final int CHUNK_TOP = 1;
    private static final int CHUNK_LIMIT = 2;
    private static final int CHUNK_STRIDE = 4;

    private final ThreadCache threadSlabs = new ThreadCache(Thread.currentThread(), 4);
    private final long[] words = threadSlabs.words;
    private final ArenaChunks chunks = grown();

    VerifyCanaryTest() {
        words[OWNED] = 4;
    }

    @Test
    void verify_nothingBroken_isQuiet() {
        threadSlabs.give(64);
        threadSlabs.give(128);
        ArenaCheck.verify(threadSlabs);
        ArenaCheck.verify(chunks);
    }

    @Test
    void threadSlabsVerify_sameSlabInTopAndRest_throws() {
        threadSlabs.give(64);
        threadSlabs.give(64);
        assertBroken(() -> ArenaCheck.verify(threadSlabs), "none stands here twice: owner=");
    }

    @Test
    void threadSlabsVerify_sameSlabTwiceInRest_throws() {
        threadSlabs.give(64);
        threadSlabs.give(128);
        threadSlabs.give(128);
        assertBroken(() -> ArenaCheck.verify(threadSlabs), "none stands here twice: owner=");
    }

    @Test
    void threadSlabsVerify_countBeyondCapacity_throws() {
        words[COUNT] = 4;
        assertBroken(() -> ArenaCheck.verify(threadSlabs), "0 <= COUNT <= capacity - 1");
    }

    @Test
    void threadSlabsVerify_negativeCount_throws() {
        words[COUNT] = -1;
        assertBroken(() -> ArenaCheck.verify(threadSlabs), "0 <= COUNT <= capacity - 1");
    }

    @Test
    void threadSlabsVerify_holeBelowCount_throws() {
        words[COUNT] = 1;
        assertBroken(() -> ArenaCheck.verify(threadSlabs), "slabs kept are slabs");
    }

    @Test
    void threadSlabsVerify_keepsMoreThanItOwns_throws() {
        threadSlabs.give(64);
        threadSlabs.give(128);
        words[OWNED] = 1;
        assertBroken(
                () -> ArenaCheck.verify(threadSlabs), "COUNT + (TOP != 0) <= OWNED <= capacity");
    }

    @Test
    void threadSlabsVerify_ownsMoreThanItMay_throws() {
        words[OWNED]++;
        assertBroken(
                () -> ArenaCheck.verify(threadSlabs), "COUNT + (TOP != 0) <= OWNED <= capacity");
    }

    @Test
    void arenaChunksVerify_topOutsideTheChunk_throws() {
        long[] chunk = chunks.words;
        long top = chunk[CHUNK_TOP];
        chunk[CHUNK_TOP] = chunk[CHUNK_LIMIT] + 1;
        assertBroken(
                () -> ArenaCheck.verify(chunks), "address <= TOP <= LIMIT <= COMMITTED <= end");
        chunk[CHUNK_TOP] = 0;
        assertBroken(
                () -> ArenaCheck.verify(chunks), "address <= TOP <= LIMIT <= COMMITTED <= end");
        chunk[CHUNK_TOP] = top;
        chunk[CHUNK_STRIDE + CHUNK_LIMIT] += 1 << 20;
        assertBroken(
                () -> ArenaCheck.verify(chunks),
                "address <= TOP <= LIMIT <= COMMITTED <= end: index=1");
    }

    @Test
    void arenaChunksVerify_ownedCountedWrong_throws() throws ReflectiveOperationException {
        set("ownedBytes", 1);
        assertBroken(() -> ArenaCheck.verify(chunks), "owned is the size of all chunks: owned=1");
    }

    @Test
    void arenaChunksVerify_currentIsNoChunk_throws() throws ReflectiveOperationException {
        set("current", 2);
        assertBroken(() -> ArenaCheck.verify(chunks), "what the arena allocates from is a chunk");
    }

    @Test
    void threadRegistryVerify_countedWrong_throws() throws ReflectiveOperationException {
        ThreadRegistry registry = new ThreadRegistry(Slabs.source(4096), 1, 2);
        registry.register(threadSlabs);
        registry.register(new ThreadCache(Thread.currentThread(), 4));
        ArenaCheck.verify(registry);
        set(registry, "keepers", 0);
        assertBroken(() -> ArenaCheck.verify(registry), "keeping=1, keepers=0");
        set(registry, "keepers", 1);
        registry.known.get(0).keeperId = 0;
        registry.known.get(1).keeperId = 1;
        ArenaCheck.verify(registry); // the other one keeps
        registry.known.get(0).keeperId = registry.known.get(0).ownerId;
        registry.known.get(1).keeperId = registry.known.get(1).ownerId;
        set(registry, "keepers", 2);
        assertBroken(() -> ArenaCheck.verify(registry), "keepers=2, keepersMax=1");
        set(registry, "keepers", 1);
        registry.known.get(1).keeperId = 0;
        ArenaCheck.verify(registry);
        set(registry, "virtuals", 1);
        assertBroken(() -> ArenaCheck.verify(registry), "virtual=0, virtuals=1");
    }

    /** Two chunks. */
    private static ArenaChunks grown() {
        ArenaChunks chunks = new ArenaChunks(Slabs.source(4096));
        assertThat(chunks.allocate(600, 16, false)).isNotZero();
        assertThat(chunks.allocate(5000, 16, false)).isNotZero();
        assertThat(chunks.count).isEqualTo(2);
        return chunks;
    }

    private void set(String name, int value) throws ReflectiveOperationException {
        set(chunks, name, value);
    }

    private static void set(Object owner, String name, int value)
            throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(owner, field.getType() == int.class ? (Object) value : (Object) (long) value);
    }

    private static void assertBroken(ThrowingCallable verify, String message) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(verify)
                .withMessageContaining(message);
    }
}
