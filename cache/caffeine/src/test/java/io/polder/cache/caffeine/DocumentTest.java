package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.LoadingCache;

import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;
import io.polder.cache.caffeine.CaffeineSnippets.User;

import org.junit.jupiter.api.Test;

/** The lines of docs/cache.md about Caffeine do what they say; other tests run the others. */
class DocumentTest extends ContenderFixture {
    @Test
    void snippet_loads() {
        OffHeapCache<Long, User> cache =
                closing(
                        OffHeapCache.<Long, User>builder()
                                .keyCodec(Codec.longs())
                                .valueCodec(Codec.records(User.class))
                                .pool(pool)
                                .build());
        LoadingCache<Long, User> users = CaffeineSnippets.users(cache);
        assertThat(users.get(7L)).isEqualTo(new User(7, "user 7"));
        assertThat(cache.getIfPresent(7L)).isEqualTo(new User(7, "user 7"));
    }
}
