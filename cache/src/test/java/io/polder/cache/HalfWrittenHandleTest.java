package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.FutureTask;

/** A reader comes when a lane has the index of one entry and the generation of another. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HalfWrittenHandleTest extends CacheFixture {
    private static final long KEY = 7;

    /** An entry of the key in a place of the handle table that others had before. */
    private static long laterEntry(Store store, Scratch found) {
        byte[] bytes = Arrays.copyOf(found.entry, (int) found.entryBytes);
        bytes[bytes.length - 1] = 'x';
        MemorySegment content = MemorySegment.ofArray(bytes);
        long handle = store.entries.tryAllocate(content.byteSize(), content);
        while (BucketLayout.generation(handle) == BucketLayout.generation(found.handle)) {
            store.entries.heap.free(handle);
            handle = store.entries.tryAllocate(content.byteSize(), content);
        }
        return handle;
    }

    @Test
    void get_whileAHandleIsHalfWritten_findsTheEntryAfterThat() throws Exception {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Store store = cache.store();
            cache.put(KEY, "one");
            Scratch found = found(cache, KEY);
            long old = found.handle;
            long later = laterEntry(store, found);
            int tag = BucketLayout.tag(found.hash);
            FutureTask<String> reader = new FutureTask<>(() -> cache.getIfPresent(KEY));
            Thread thread = Thread.ofPlatform().unstarted(reader);
            synchronized (store.index.monitor(found.hash)) {
                long mixed = (old & ~0xFFFF_FFFFL) | (later & 0xFFFF_FFFFL);
                assertThat(store.entries.heap.isLive(mixed)).isFalse();
                store.lines.setHandle(found.line, found.lane, tag, mixed);
                thread.start();
                while (thread.isAlive() && thread.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
                store.index.replaceLocked(found, later);
            }
            assertThat(reader.get()).isEqualTo("onx");
            store.entries.heap.free(old);
            store.scratches.give(found);
            CacheCheck.verify(store);
        }
    }
}
