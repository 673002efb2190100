package io.polder.cache.jcache;

import java.net.URI;

import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.Caching;

/** The example of docs/cache.md that needs JCache, and one of its configuration. */
final class JCacheSnippets {
    private JCacheSnippets() {}

    // @start region="configuration"
    record Article(String name, long cents) {}

    static long centsOf(long id) {
        CacheManager manager = Caching.getCachingProvider().getCacheManager();
        Cache<Long, Article> articles =
                manager.createCache(
                        "articles",
                        new PolderConfiguration<Long, Article>()
                                .setTypes(Long.class, Article.class)
                                .setMaximumBytes(256L << 20));
        articles.put(id, new Article("tulip", 250));
        return articles.get(id).cents();
    }

    // @end

    static CacheManager limited() {
        return Caching.getCachingProvider()
                .getCacheManager(URI.create("polder://shop?maximumBytes=268435456"), null);
    }
}
