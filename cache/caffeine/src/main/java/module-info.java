import org.jspecify.annotations.NullMarked;

/**
 * A cache of {@link io.polder.cache} for programs and libraries that take one of Caffeine.
 *
 * <p>Start with {@link io.polder.cache.caffeine.OffHeapCaffeine}.
 */
@NullMarked
module io.polder.cache.caffeine {
    requires static org.jspecify;
    requires transitive com.github.benmanes.caffeine;
    requires transitive io.polder.cache;

    exports io.polder.cache.caffeine;
}
