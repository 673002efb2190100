package io.polder.lab.contenders;

import io.polder.lab.experiments.cache.CacheMaker;
import io.polder.lab.experiments.cache.CacheUnderTest;

import net.openhft.chronicle.map.ChronicleMap;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Chronicle Map in memory. It is no cache and evicts nothing, so that is done here: when the values
 * have more bytes than there is room for, keys are removed from 0 on.
 */
public final class ChronicleMaker implements CacheMaker {
    /** Of its blocks: an entry has at most as many as an int has bits, unless it is told. */
    private static final int CHUNK_BYTES = 64;

    @Override
    public String id() {
        return "chronicle";
    }

    @Override
    public CacheUnderTest open(Room room) {
        return new Opened(
                ChronicleMap.of(Long.class, byte[].class)
                        .name("lab")
                        .entries(room.entries())
                        .averageValueSize(room.valueBytes())
                        .actualChunkSize(CHUNK_BYTES)
                        .maxChunksPerEntry(2 * (room.valueBytesMax() / CHUNK_BYTES + 1))
                        .maxBloatFactor(10)
                        .create(),
                room.bytes());
    }

    private static final class Opened implements CacheUnderTest {
        private final ChronicleMap<Long, byte[]> map;
        private final long limit;
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicLong oldest = new AtomicLong();

        Opened(ChronicleMap<Long, byte[]> map, long limit) {
            this.map = map;
            this.limit = limit;
        }

        @Override
        public byte @Nullable [] get(long key) {
            return map.get(key);
        }

        @Override
        public void put(long key, byte[] value) {
            byte[] before = map.put(key, value);
            long now = bytes.addAndGet(value.length - (before == null ? 0 : before.length));
            while (now > limit) {
                remove(oldest.getAndIncrement());
                now = bytes.get();
            }
        }

        @Override
        public boolean contains(long key) {
            return map.containsKey(key);
        }

        @Override
        public void remove(long key) {
            byte[] before = map.remove(key);
            if (before != null) {
                bytes.addAndGet(-before.length);
            }
        }

        @Override
        public void close() {
            map.close();
        }
    }
}
