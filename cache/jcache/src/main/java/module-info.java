import org.jspecify.annotations.NullMarked;

/**
 * A JCache (JSR-107) provider whose caches keep their entries outside the Java heap.
 *
 * <p>Programs use {@code javax.cache}; {@link io.polder.cache.jcache.PolderConfiguration} has what
 * JCache does not know of. Native access is needed by {@code io.polder} alone.
 */
@NullMarked
module io.polder.cache.jcache {
    requires static org.jspecify;
    requires transitive cache.api;
    requires transitive io.polder.cache;
    requires java.management;

    exports io.polder.cache.jcache;

    provides javax.cache.spi.CachingProvider with
            io.polder.cache.jcache.PolderCachingProvider;
}
