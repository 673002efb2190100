package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.LoadingCache;

import io.polder.cache.OffHeapCache;

/** The examples of docs/cache.md that need Caffeine. */
final class CaffeineSnippets {
    private CaffeineSnippets() {}

    record User(long id, String name) {}

    static User load(long id) {
        return new User(id, "user " + id);
    }

    // @start region="caffeine"
    static LoadingCache<Long, User> users(OffHeapCache<Long, User> users) {
        return OffHeapCaffeine.asCaffeine(users, CaffeineSnippets::load);
    }
    // @end
}
