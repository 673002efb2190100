package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.LoadingCache;

import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;
import io.polder.cache.caffeine.CaffeineSnippets.User;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The lines of docs/cache.md about other libraries are compiled, and do what they say. */
class DocumentTest extends ContenderFixture {
    private static final Path DOCUMENT = Path.of("..", "..", "docs", "cache.md");
    private static final Path SOURCES =
            Path.of("src", "test", "java", "io", "polder", "cache", "caffeine");

    @ParameterizedTest
    @CsvSource({
        "CaffeineSnippets.java, caffeine",
        "CaffeineSnippets.java, spring",
        "CaffeineSnippets.java, micrometer",
        "RedisSnippets.java, redis"
    })
    void document_hasTheLinesThatAreCompiled(String file, String region) throws IOException {
        String source = Files.readString(SOURCES.resolve(file));
        int begin = source.indexOf("// @start region=\"" + region + "\"");
        assertThat(begin).isPositive();
        int end = source.indexOf("// @end", begin);
        String lines = source.substring(source.indexOf('\n', begin) + 1, end).stripIndent().strip();
        assertThat(Files.readString(DOCUMENT)).contains("```java\n" + lines + "\n```");
    }

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
