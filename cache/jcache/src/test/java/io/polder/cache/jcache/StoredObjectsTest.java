package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.expiry.Duration;
import javax.cache.expiry.TouchedExpiryPolicy;

/** What becomes of keys and values, and which classes are read. */
class StoredObjectsTest extends JCacheFixture {
    /** A key that is serialized. */
    record Pair(Serializable first, Serializable second) implements Serializable {}

    /** An interface, for a proxy. */
    interface Named {
        String name();
    }

    /** Handles calls of a proxy. */
    record Namer(String name) implements java.lang.reflect.InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments) {
            return name;
        }
    }

    /** Counts how often it was made from bytes. */
    static final class Read implements Serializable {
        private static final long serialVersionUID = 1L;
        static final AtomicInteger COUNT = new AtomicInteger();

        private void readObject(ObjectInputStream in) {
            COUNT.getAndIncrement();
        }
    }

    private Cache<Object, Object> untyped() {
        return cache(types(Object.class, Object.class));
    }

    @Test
    void put_ofManyTypes_returnsCopiesThatAreEqual() {
        Cache<Object, Object> cache = untyped();
        List<Object> values =
                List.of(
                        "text",
                        "\u0141 beyond Latin-1",
                        1,
                        2L,
                        'c',
                        new BigDecimal("1.5"),
                        Instant.EPOCH,
                        Thread.State.NEW,
                        new Pair(1, "a"),
                        List.of(1, "b"),
                        Map.of("a", 1),
                        new HashMap<>(Map.of(1L, new ArrayList<>(List.of(Instant.MAX)))));
        for (Object value : values) {
            cache.put(value, value);
        }
        for (Object value : values) {
            assertThat(cache.get(value)).isEqualTo(value);
        }
        byte[] bytes = {1, 2, 3};
        cache.put("bytes", bytes);
        bytes[0] = 9;
        assertThat((byte[]) cache.get("bytes")).containsExactly(1, 2, 3);
        assertThat(cache.get("1")).isNull();
        assertThat(cache.get(2)).isNull(); // not the key 2L
    }

    @Test
    @SuppressWarnings("StringOperationCanBeSimplified")
    void keys_withEqualPartsThatAreIdenticalOrNot_areTheSame() {
        Cache<Object, Object> cache = untyped();
        String same = "part";
        cache.put(new Pair(same, same), "value");
        assertThat(cache.get(new Pair(new String("part"), new String("part")))).isEqualTo("value");
        assertThat(cache.get(new Pair("part", "other"))).isNull();
        cache.put(new Pair(1000L, 1000L), "numbers");
        assertThat(cache.get(new Pair(Long.valueOf("1000"), Long.parseLong("1000"))))
                .isEqualTo("numbers");
    }

    @Test
    void proxy_andLambda_areRead() {
        Cache<Object, Object> cache = untyped();
        Object proxy =
                java.lang.reflect.Proxy.newProxyInstance(
                        Named.class.getClassLoader(), new Class<?>[] {Named.class}, new Namer("x"));
        cache.put("proxy", proxy);
        assertThat(((Named) cache.get("proxy")).name()).isEqualTo("x");
        cache.put("lambda", (Comparable<String> & Serializable) other -> other.length());
        @SuppressWarnings("unchecked")
        Comparable<String> lambda = (Comparable<String>) cache.get("lambda");
        assertThat(lambda.compareTo("abc")).isEqualTo(3);
    }

    @Test
    void read_ofProxyWhoseInterfaceIsOfAnotherLoader_isDone() throws Exception {
        ClassLoader outer = StoredObjectsTest.class.getClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[0], outer)) {
            Serialization serialization = new Serialization(loader, null);
            Object proxy =
                    java.lang.reflect.Proxy.newProxyInstance(
                            outer, new Class<?>[] {Named.class}, new Namer("x"));
            Object read = serialization.read(serialization.write(proxy));
            assertThat(((Named) read).name()).isEqualTo("x");
        }
    }

    @Test
    void read_ofClassThatWasNeverWritten_isRejected() {
        ClassLoader loader = StoredObjectsTest.class.getClassLoader();
        byte[] foreign = new Serialization(loader, null).write(new Read());
        Serialization serialization = new Serialization(loader, null);
        int before = Read.COUNT.get();
        assertThatThrownBy(() -> serialization.read(foreign))
                .isInstanceOf(CacheException.class)
                .hasCauseInstanceOf(InvalidClassException.class)
                .hasStackTraceContaining("must be one that the cache has written");
        assertThat(Read.COUNT).hasValue(before);
        assertThat(serialization.read(serialization.write(new Read()))).isInstanceOf(Read.class);
        assertThat(Read.COUNT).hasValue(before + 1);
    }

    @Test
    void serialFilter_rejectsWhatIsWritten() {
        String filter = "!" + Read.class.getName();
        Cache<String, Read> own = cache(types(String.class, Read.class).setSerialFilter(filter));
        assertThatThrownBy(() -> own.put("a", new Read()))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining(Read.class.getName())
                .hasMessageContaining("must allow the class of what is written");
        assertThat(own).isEmpty();

        CacheManager manager =
                provider.getCacheManager(
                        URI.create("polder://filtered?serialFilter=" + filter), null);
        Cache<String, Read> ofManager =
                manager.createCache("cache", types(String.class, Read.class));
        assertThatThrownBy(() -> ofManager.put("a", new Read())).isInstanceOf(CacheException.class);
        assertThat(ofManager.containsKey("a")).isFalse();
        assertThat(ObjectInputFilter.Config.getSerialFilter()).isNull();
    }

    @Test
    void serialFilter_thatLimitsSizes_saysWhatItHasRejected() {
        Cache<String, Object> cache =
                cache(types(String.class, Object.class).setSerialFilter("maxarray=3"));
        cache.put("a", new int[4]);
        assertThatThrownBy(() -> cache.get("a"))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("[I")
                .hasMessageContaining("arrayLength=4");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void iterator_namesTheKeyOfWhatItCannotRead_andGoesOn(boolean expires) {
        PolderConfiguration<String, Object> configuration =
                types(String.class, Object.class).setSerialFilter("maxarray=3");
        if (expires) {
            configuration.setExpiryPolicyFactory(TouchedExpiryPolicy.factoryOf(Duration.ONE_DAY));
        }
        Cache<String, Object> cache = cache(configuration);
        for (int i = 0; i < 20; i++) {
            cache.put("key" + i, new int[i % 5]); // every fifth is too long
        }
        Set<String> unread = new TreeSet<>();
        int read = 0;
        Iterator<Cache.Entry<String, Object>> entries = cache.iterator();
        while (entries.hasNext()) {
            try {
                assertThat(entries.next().getValue()).isInstanceOf(int[].class);
                read++;
            } catch (CacheException e) {
                assertThat(e).hasMessageContaining("arrayLength=4");
                String message = Objects.requireNonNull(e.getMessage());
                unread.add(message.split("key=", 2)[1].split(",", 2)[0]);
                assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
            }
        }
        assertThat(read).isEqualTo(16);
        assertThat(unread).containsExactly("key14", "key19", "key4", "key9");
        cache.close();
        assertThatThrownBy(entries::next).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void put_ofWhatIsNotSerializable_isRefusedAndChangesNothing() {
        Cache<Object, Object> cache = untyped();
        cache.put("key", "before");
        assertThatThrownBy(() -> cache.put("key", new Object()))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("must be Serializable")
                .hasMessageContaining("java.lang.Object");
        assertThatThrownBy(() -> cache.put("key", new ArrayList<>(Arrays.asList(new Object()))))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("with all that it refers to");
        assertThat(cache.get("key")).isEqualTo("before");
    }

    private static WeakReference<Object> putLarge(Cache<Integer, Object> cache) {
        Object large = new ArrayList<>(List.of("x".repeat(3 << 20)));
        cache.put(1, large);
        assertThat(cache.containsKey(1)).isFalse();
        return new WeakReference<>(large);
    }

    @Test
    void put_ofWhatIsTooLarge_leavesNothingOnTheJavaHeap() throws InterruptedException {
        Cache<Integer, Object> cache =
                cache(types(Integer.class, Object.class).setMaximumBytes(16 << 20));
        WeakReference<Object> large = putLarge(cache);
        long begin = System.nanoTime();
        while (!large.refersTo(null)) {
            assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.MINUTES.toNanos(3));
            System.gc();
            Thread.sleep(10);
        }
        assertThat(cache.isClosed()).isFalse();
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"}) // as a program without generics would
    void put_ofAnotherType_isRefused() {
        Cache cache = cache(types(Integer.class, String.class));
        assertThatThrownBy(() -> cache.put("text", "a")).isInstanceOf(ClassCastException.class);
        assertThatThrownBy(() -> cache.put(1, 2L)).isInstanceOf(ClassCastException.class);
        assertThat(cache.iterator().hasNext()).isFalse();
    }

    /** A value whose class is gone, say, can be removed, and counts. */
    @Test
    void remove_withStatistics_readsNoValue() {
        PolderConfiguration<Object, Object> configuration = types(Object.class, Object.class);
        configuration.setStatisticsEnabled(true);
        Cache<Object, Object> cache = cache(configuration);
        for (int key = 0; key < 300; key++) {
            cache.put(key, new Read());
        }
        int before = Read.COUNT.get();
        assertThat(cache.remove(0)).isTrue();
        assertThat(cache.remove(0)).isFalse();
        cache.removeAll(Set.of(0, 1, 2));
        cache.removeAll();
        assertThat(Read.COUNT).hasValue(before);
        assertThat(cache).isEmpty();
        Statistics statistics = cache.unwrap(PolderCache.class).statistics();
        assertThat(statistics.getCacheRemovals()).isEqualTo(300);
    }
}
