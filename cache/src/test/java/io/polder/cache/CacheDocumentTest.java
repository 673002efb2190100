package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Locale;

/** The lines of docs/cache.md, which are those of {@link CacheSnippets}, do what they say. */
class CacheDocumentTest extends CacheFixture {
    @Test
    void snippets_run() {
        try (OffHeapCache<Long, CacheSnippets.User> users = CacheSnippets.openUsers()) {
            assertThat(CacheSnippets.nameOf(users, 7)).isEqualTo("user 7");
            assertThat(users.size()).isOne();
        }
        try (OffHeapCache<Long, CacheSnippets.Visit> visits = CacheSnippets.openVisits()) {
            CacheSnippets.Visit visit =
                    new CacheSnippets.Visit(LocalDateTime.MIN, Duration.ofMinutes(7));
            visits.put(1L, visit);
            assertThat(visits.getIfPresent(1L)).isEqualTo(visit);
        }
        try (OffHeapCache<Locale, Locale> cache =
                OffHeapCache.<Locale, Locale>builder()
                        .keyCodec(new CacheSnippets.LocaleCodec())
                        .valueCodec(new CacheSnippets.LocaleCodec())
                        .pool(pool)
                        .build()) {
            cache.put(Locale.GERMANY, Locale.CANADA_FRENCH);
            assertThat(cache.getIfPresent(Locale.GERMANY)).isEqualTo(Locale.CANADA_FRENCH);
            assertThat(cache.asMap()).containsOnlyKeys(Locale.GERMANY);
        }
    }
}
