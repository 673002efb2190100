package io.polder;

import io.polder.cache.CacheInside;
import io.polder.stress.everywhere.ThrowEverywhere;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The operations of caches. Opening one is not tried: where its handler is cut short as well, an
 * arena stays open that nobody knows. Nor is shrinking an index by a page: where the JDK's close of
 * an arena is cut short, the page counts a view that nobody can end.
 */
final class CacheOperations {
    private static final long COMMITTED_MAX = 64 * PoolUnderTest.MIB;

    /** More than a line of the index has: two of them, of which the second one comes and goes. */
    private static final int TWO_LINES = 7;

    /** The next one has a bucket of the index split. */
    private static final int BEFORE_SPLIT = 5632;

    /** More than what is kept to be written again. */
    private static final int LARGE = 5000;

    /** So long that nothing expires. */
    static final Duration LIFETIME = Duration.ofDays(1);

    private final ThrowEverywhere everywhere;

    /** An operation on a cache. */
    @FunctionalInterface
    private interface CacheOperation {
        void run(HeldCache cache) throws Throwable;
    }

    CacheOperations(ThrowEverywhere everywhere) {
        this.everywhere = everywhere;
    }

    private void check(
            String name, boolean collide, Consumer<HeldCache> setUp, CacheOperation operation) {
        check(name, collide, null, setUp, operation);
    }

    /** Of a cache whose entries live longer when they are read. */
    private void checkExpiring(
            String name, boolean collide, Consumer<HeldCache> setUp, CacheOperation operation) {
        check(name, collide, LIFETIME, setUp, operation);
    }

    private void check(
            String name,
            boolean collide,
            @Nullable Duration lifetime,
            Consumer<HeldCache> setUp,
            CacheOperation operation) {
        everywhere.check(
                name,
                () ->
                        new PoolScenario(
                                new PoolUnderTest(COMMITTED_MAX, LeakDetection.OFF),
                                held -> {
                                    HeldCache cache = held.openCache(collide, lifetime);
                                    setUp.accept(cache);
                                    return () -> operation.run(cache);
                                }));
    }

    private static Consumer<HeldCache> filled(int count) {
        return cache -> {
            for (int key = 0; key < count; key++) {
                cache.put(key, 20);
            }
        };
    }

    void tryAll() {
        check("cache.close", false, filled(100), HeldCache::close);
        check("cache.put-new", false, filled(20), cache -> cache.put(20, 20));
        check("cache.put-first-again", false, filled(20), cache -> cache.put(7, 20));
        check("cache.put-recycled", false, kept(20), cache -> cache.put(7, 20));
        check("cache.put-recycled-resized", false, kept(20), cache -> cache.put(7, 21));
        check("cache.put-recycled-same-bucket", true, kept(TWO_LINES), cache -> cache.put(6, 20));
        check("cache.put-new-line", true, filled(TWO_LINES - 1), cache -> cache.put(6, 20));
        check("cache.put-large", false, kept(20), cache -> cache.put(7, LARGE));
        check("cache.replace", false, kept(20), cache -> cache.replace(7, 20));
        check("cache.invalidate", false, kept(20), cache -> cache.invalidate(7));
        check("cache.invalidate-packs", true, kept(TWO_LINES), cache -> cache.invalidate(3));
        check("cache.put-splits", false, filled(BEFORE_SPLIT), cache -> cache.put(-1, 20));
        check(
                "cache.index-grows",
                false,
                filled(20),
                cache -> growIndex(cache, CacheInside.LINES_AT_FIRST + 1));
        check(
                "cache.index-grows-by-page",
                false,
                filled(20).andThen(cache -> growIndex(cache, CacheInside.LINES_BEFORE_PAGES)),
                cache -> growIndex(cache, CacheInside.LINES_BEFORE_PAGES + 1));
        check("cache.clear", true, kept(2 * TWO_LINES), HeldCache::invalidateAll);
        check("cache.get", false, kept(20), cache -> cache.cache().getIfPresent(7L));
        checkExpiring("cache.expiring.put", true, kept(TWO_LINES), cache -> cache.put(6, 20));
        checkExpiring(
                "cache.expiring.get", true, kept(20), cache -> cache.cache().getIfPresent(7L));
        checkExpiring(
                "cache.expiring.get-shortens",
                true,
                kept(TWO_LINES).andThen(cache -> cache.putForLonger(6, 20)),
                cache -> cache.cache().getIfPresent(6L));
        checkExpiring(
                "cache.expiring.set",
                false,
                kept(20),
                cache -> cache.cache().policy().setExpiresIn(7L, LIFETIME.dividedBy(2)));
    }

    private static void growIndex(HeldCache cache, long lines) {
        CacheInside.growIndex(cache.cache(), lines);
    }

    /** With some entries that were replaced, too. */
    private static Consumer<HeldCache> kept(int count) {
        return filled(count)
                .andThen(
                        cache -> {
                            for (int key = 0; key < count / 2; key++) {
                                cache.put(key, 20 + key % 3 * 8);
                            }
                        });
    }
}
