import org.jspecify.annotations.NullMarked;

/**
 * A cache whose entries are not on the Java heap.
 *
 * <p>Start with {@link io.polder.cache.OffHeapCache}. Native access is needed by {@code io.polder}
 * alone: run with {@code --enable-native-access=io.polder} (or {@code ALL-UNNAMED} on the class
 * path).
 */
@NullMarked
module io.polder.cache {
    requires static org.jspecify;
    requires transitive io.polder;

    exports io.polder.cache;
}
