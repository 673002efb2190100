package io.polder.cache.jcache;

import io.polder.MemoryPool;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCacheBuilder;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableConfiguration;

/**
 * A configuration of a cache that has, beside all that JCache knows, limits, a pool, codecs and a
 * filter.
 *
 * {@snippet class="JCacheSnippets" region="configuration"}
 *
 * <h2>What is stored</h2>
 *
 * <p>Keys and values of a type that is set to {@link String}, {@link Long}, {@link Integer}, {@code
 * byte[]} or a record of primitives and strings are stored as {@link Codec}'s methods say. A codec
 * that is set here counts for more. All others must be {@link java.io.Serializable}, and are
 * serialized; strings, longs, integers and arrays of bytes among them are not. Two keys are equal
 * if their bytes are: a key that is serialized must write the same for keys that are equal, which a
 * {@link java.util.HashMap} does not.
 *
 * <p>When it reads serialized bytes, a cache accepts only classes that it has written itself, and
 * arrays; then it asks {@link #setSerialFilter the filter}, if one is set, and that of the JVM.
 * Classes are loaded by the class loader of the cache manager.
 *
 * <h2>What JCache has no word for</h2>
 *
 * <p>{@code cache.unwrap(OffHeapCache.class)} gives the {@link io.polder.cache.OffHeapCache} that
 * has the entries: for its statistics, its limits, {@code cleanUp}, and {@code writeTo} and {@code
 * readFrom}. What is put or removed by it, or read from a file, no listener and no writer is told
 * of. Its keys are those of JCache if no entry expires; otherwise they are objects that only JCache
 * has, and it refuses others. A file can be read if neither keys nor values are serialized, by a
 * cache whose entries expire if those of the other did.
 *
 * <p>Not thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
@SuppressWarnings("exports") // of an annotation that is there at compile time only
public final class PolderConfiguration<K, V> extends MutableConfiguration<K, V> {
    private static final long serialVersionUID = 1L;

    private long maximumBytes;
    private long maximumEntries;
    private @Nullable String serialFilter;
    private @Nullable Factory<MemoryPool> pool;
    private @Nullable Factory<Codec<K>> keyCodec;
    private @Nullable Factory<Codec<V>> valueCodec;

    /** A configuration as {@link MutableConfiguration}'s, with no limit. */
    public PolderConfiguration() {}

    /** A copy. */
    public PolderConfiguration(CompleteConfiguration<K, V> other) {
        super(other);
        if (other instanceof PolderConfiguration<K, V> polder) {
            maximumBytes = polder.maximumBytes;
            maximumEntries = polder.maximumEntries;
            serialFilter = polder.serialFilter;
            pool = polder.pool;
            keyCodec = polder.keyCodec;
            valueCodec = polder.valueCodec;
        }
    }

    /** A copy, with what a manager says where this says nothing. */
    PolderConfiguration(CompleteConfiguration<K, V> other, ManagerOptions options) {
        this(other);
        maximumBytes = maximumBytes == 0 ? options.maximumBytes() : maximumBytes;
        maximumEntries = maximumEntries == 0 ? options.maximumEntries() : maximumEntries;
        serialFilter = serialFilter == null ? options.serialFilter() : serialFilter;
    }

    /**
     * What a factory of a configuration makes.
     *
     * @throws NullPointerException if that is null
     */
    static <T> T make(Factory<? extends T> factory, String what) {
        return Objects.requireNonNull(
                factory.create(), () -> "what the factory of " + what + " makes");
    }

    /**
     * Limits what the cache holds; see {@link OffHeapCacheBuilder#maximumBytes}.
     *
     * @param bytes {@link OffHeapCacheBuilder#MAXIMUM_BYTES_MIN} or more
     * @throws IllegalArgumentException if it is less
     */
    public PolderConfiguration<K, V> setMaximumBytes(long bytes) {
        if (bytes < OffHeapCacheBuilder.MAXIMUM_BYTES_MIN) {
            throw new IllegalArgumentException(
                    "maximumBytes must be "
                            + OffHeapCacheBuilder.MAXIMUM_BYTES_MIN
                            + " or more: maximumBytes="
                            + bytes);
        }
        maximumBytes = bytes;
        return this;
    }

    /** The limit in bytes; 0 if there is none. */
    public long getMaximumBytes() {
        return maximumBytes;
    }

    /**
     * Limits the number of entries.
     *
     * @param entries 1 or more
     * @throws IllegalArgumentException if it is less
     */
    public PolderConfiguration<K, V> setMaximumEntries(long entries) {
        if (entries < 1) {
            throw new IllegalArgumentException(
                    "maximumEntries must be 1 or more: maximumEntries=" + entries);
        }
        maximumEntries = entries;
        return this;
    }

    /** The limit of entries; 0 if there is none. */
    public long getMaximumEntries() {
        return maximumEntries;
    }

    /**
     * Sets which classes may be deserialized, in the form of the property {@code jdk.serialFilter}.
     *
     * @throws IllegalArgumentException if it is not of that form
     */
    public PolderConfiguration<K, V> setSerialFilter(String pattern) {
        ManagerOptions.checkFilter(Objects.requireNonNull(pattern, "pattern"));
        serialFilter = pattern;
        return this;
    }

    /** The filter; null if none is set. */
    public @Nullable String getSerialFilter() {
        return serialFilter;
    }

    /** Sets whose memory the cache has; that of {@link MemoryPool#common} if not set. */
    public PolderConfiguration<K, V> setPool(Factory<MemoryPool> factory) {
        pool = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /** The pool; null if none is set. */
    public @Nullable Factory<MemoryPool> getPool() {
        return pool;
    }

    /** Sets how keys become bytes. */
    public PolderConfiguration<K, V> setKeyCodec(Factory<Codec<K>> factory) {
        keyCodec = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /** The codec of keys; null if none is set. */
    public @Nullable Factory<Codec<K>> getKeyCodec() {
        return keyCodec;
    }

    /** Sets how values become bytes. */
    public PolderConfiguration<K, V> setValueCodec(Factory<Codec<V>> factory) {
        valueCodec = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /** The codec of values; null if none is set. */
    public @Nullable Factory<Codec<V>> getValueCodec() {
        return valueCodec;
    }

    @Override
    public PolderConfiguration<K, V> setTypes(Class<K> keyType, Class<V> valueType) {
        MutableConfiguration<K, V> _ = super.setTypes(keyType, valueType);
        return this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PolderConfiguration<?, ?> polder
                && super.equals(other)
                && maximumBytes == polder.maximumBytes
                && maximumEntries == polder.maximumEntries
                && Objects.equals(serialFilter, polder.serialFilter)
                && Objects.equals(pool, polder.pool)
                && Objects.equals(keyCodec, polder.keyCodec)
                && Objects.equals(valueCodec, polder.valueCodec);
    }

    @Override
    public int hashCode() {
        return 31 * super.hashCode() + Long.hashCode(maximumBytes);
    }
}
