package io.polder.lab.contenders;

import io.polder.lab.experiments.cache.CacheMaker;
import io.polder.lab.experiments.cache.CacheUnderTest;

import org.caffinitas.ohc.CacheSerializer;
import org.caffinitas.ohc.Eviction;
import org.caffinitas.ohc.OHCache;
import org.caffinitas.ohc.OHCacheBuilder;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** OHC with linked tables, its default: memory by malloc for each entry, LRU. */
public final class OhcMaker implements CacheMaker {
    @Override
    public String id() {
        return "ohc";
    }

    @Override
    public CacheUnderTest open(Room room) {
        return new Opened(
                OHCacheBuilder.<Long, byte[]>newBuilder()
                        .keySerializer(new Longs())
                        .valueSerializer(new Bytes())
                        .capacity(room.bytes())
                        .eviction(Eviction.LRU)
                        .build());
    }

    private static final class Longs implements CacheSerializer<Long> {
        @Override
        public void serialize(Long value, ByteBuffer buffer) {
            buffer.putLong(value);
        }

        @Override
        public Long deserialize(ByteBuffer buffer) {
            return buffer.getLong();
        }

        @Override
        public int serializedSize(Long value) {
            return Long.BYTES;
        }
    }

    private static final class Bytes implements CacheSerializer<byte[]> {
        @Override
        public void serialize(byte[] value, ByteBuffer buffer) {
            buffer.put(value);
        }

        @Override
        public byte[] deserialize(ByteBuffer buffer) {
            byte[] value = new byte[buffer.remaining()];
            buffer.get(value);
            return value;
        }

        @Override
        public int serializedSize(byte[] value) {
            return value.length;
        }
    }

    private record Opened(OHCache<Long, byte[]> cache) implements CacheUnderTest {
        @Override
        public byte @Nullable [] get(long key) {
            return cache.get(key);
        }

        @Override
        public void put(long key, byte[] value) {
            cache.put(key, value);
        }

        @Override
        public boolean contains(long key) {
            return cache.containsKey(key);
        }

        @Override
        public void remove(long key) {
            cache.remove(key);
        }

        @Override
        public void close() {
            try {
                cache.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
