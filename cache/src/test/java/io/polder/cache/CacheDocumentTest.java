package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The lines of docs/cache.md are those of {@link CacheSnippets}, and do what they say. */
class CacheDocumentTest extends CacheFixture {
    private static final Path DOCUMENT = Path.of("..", "docs", "cache.md");
    private static final Path SNIPPETS =
            Path.of("src", "test", "java", "io", "polder", "cache", "CacheSnippets.java");

    @ParameterizedTest
    @ValueSource(strings = {"cache", "codec"})
    void document_hasTheLinesThatAreCompiled(String region) throws IOException {
        String source = Files.readString(SNIPPETS);
        int begin = source.indexOf("// @start region=\"" + region + "\"");
        int end = source.indexOf("// @end", begin);
        String lines = source.substring(source.indexOf('\n', begin) + 1, end).stripIndent().strip();
        assertThat(Files.readString(DOCUMENT)).contains("```java\n" + lines + "\n```");
    }

    @Test
    void snippets_run() {
        assertThat(CacheSnippets.nameOf(7)).isEqualTo("user 7");
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
