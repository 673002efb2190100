package io.polder.lab.contenders;

import io.polder.lab.experiments.cache.CacheMaker;
import io.polder.lab.experiments.cache.CacheUnderTest;

import org.jspecify.annotations.Nullable;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.HTreeMap;
import org.mapdb.Serializer;

/** A hash table of MapDB in direct buffers, which expires what is beyond a size. */
public final class MapDbMaker implements CacheMaker {
    @Override
    public String id() {
        return "mapdb";
    }

    @Override
    public CacheUnderTest open(Room room) {
        DB db = DBMaker.memoryDirectDB().make();
        return new Opened(
                db,
                db.hashMap("lab", Serializer.LONG, Serializer.BYTE_ARRAY)
                        .expireStoreSize(room.bytes())
                        .expireAfterCreate()
                        .expireAfterUpdate()
                        .create());
    }

    private record Opened(DB db, HTreeMap<Long, byte[]> map) implements CacheUnderTest {
        @Override
        public byte @Nullable [] get(long key) {
            return map.get(key);
        }

        @Override
        public void put(long key, byte[] value) {
            byte[] _ = map.put(key, value);
        }

        @Override
        public boolean contains(long key) {
            return map.containsKey(key);
        }

        @Override
        public void remove(long key) {
            byte[] _ = map.remove(key);
        }

        @Override
        public void close() {
            map.close();
            db.close();
        }
    }
}
