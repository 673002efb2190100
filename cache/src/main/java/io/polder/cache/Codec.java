package io.polder.cache;

import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * Turns keys or values into bytes and back.
 *
 * {@snippet class="CacheSnippets" region="codec"}
 *
 * <p>A codec of keys writes the same bytes for keys that are equal, at any time: the cache compares
 * bytes, and finds no key otherwise. What it writes for keys that are not equal differs.
 *
 * <p>It may throw, and what it throws is thrown by the method of the cache that was called. There
 * are two exceptions: who asks the {@linkplain OffHeapCache#asMap map} of a cache for a value that
 * cannot be written is told whether an equal one is there; and who meets an entry whose key he did
 * not name, by an iterator for instance, gets an {@link IllegalStateException} that has the key and
 * this as its cause.
 *
 * <p>It may be called by several threads at once, and may use the cache. It must not close the
 * cache in {@link #read}.
 *
 * <p>Segments begin at any address: numbers are read and written with layouts that need no
 * alignment, such as {@link java.lang.foreign.ValueLayout#JAVA_LONG_UNALIGNED}. Libraries that know
 * buffers alone get them by {@link MemorySegment#asByteBuffer}.
 *
 * @param <T> what is turned into bytes
 */
public interface Codec<T> {
    /**
     * How many bytes {@link #write} will write for a value.
     *
     * @return 0 or more
     */
    long size(T value);

    /**
     * Writes a value.
     *
     * @param to a segment of the size that {@link #size} has given, on the Java heap or outside it,
     *     for the running thread and until this returns; what is not written is zero
     */
    void write(T value, MemorySegment to);

    /**
     * Reads a value.
     *
     * @param from the bytes that were written, in a read-only segment outside the Java heap, for
     *     the running thread and until this returns
     * @return a value that is not null; otherwise the method of the cache that was called throws an
     *     {@link IllegalStateException}
     */
    T read(MemorySegment from);

    /**
     * How many bytes each value has; -1, which is the default, if they differ. Keys of a fixed size
     * need no room for their size. Asked when a cache is built.
     */
    default int fixedBytes() {
        return -1;
    }

    /**
     * What files of {@link OffHeapCache#writeTo} have of this codec: a cache reads those alone
     * whose codecs say what its own say. The name of the class, unless a codec says more, as it
     * must where codecs of one class write in different ways. Not null; asked when a cache is
     * built.
     */
    default String format() {
        return getClass().getName();
    }

    /** Arrays of bytes; as keys they are equal if their bytes are. */
    static Codec<byte[]> bytes() {
        return PlainCodecs.BYTES;
    }

    /** Strings: a byte for each character if all are Latin-1, otherwise two; and one more. */
    static Codec<String> strings() {
        return PlainCodecs.STRINGS;
    }

    /** Numbers of 8 bytes. */
    static Codec<Long> longs() {
        return PlainCodecs.LONGS;
    }

    /** Numbers of 4 bytes. */
    static Codec<Integer> ints() {
        return PlainCodecs.INTS;
    }

    /**
     * Records whose components are primitives, strings, arrays of bytes or such records. Strings,
     * arrays and records may be null. No record contains one of its own type, at any depth. A
     * component is asked for when its size is wanted, and again when it is written: it must not be
     * larger then, and the rest of a smaller one is zero.
     *
     * @param type a record that this module may access: it is public and exported, or its package
     *     is open to {@code io.polder.cache}, as all packages on the class path are. For others
     *     there is {@link #records(java.lang.invoke.MethodHandles.Lookup, Class)}
     * @throws IllegalArgumentException if a component is of another type, or cannot be accessed
     */
    static <R extends Record> Codec<R> records(Class<R> type) {
        return RecordCodec.of(java.lang.invoke.MethodHandles.lookup(), type);
    }

    /**
     * Records as {@link #records(Class)}, which the lookup may access: {@code
     * MethodHandles.lookup()} of a class that may.
     *
     * @throws IllegalArgumentException if a component is of another type, or cannot be accessed
     */
    static <R extends Record> Codec<R> records(
            java.lang.invoke.MethodHandles.Lookup lookup, Class<R> type) {
        return RecordCodec.of(lookup, type);
    }

    /**
     * What libraries make of values that know no segments: arrays of bytes, as many have for JSON
     * and binary formats. A value is turned into one once for each put, as a rule.
     *
     * @param format what files have of this codec, as {@link #format} says: another name for
     *     another type, and for another way to write one
     * @param toBytes makes an array, which it must not change afterwards. Of keys that are equal
     *     the same bytes
     * @param toValue makes a value of such an array, which it may keep; not null
     */
    static <T> Codec<T> of(
            String format,
            Function<? super T, byte[]> toBytes,
            Function<byte[], ? extends T> toValue) {
        return new ArrayCodec<>(format, toBytes, toValue);
    }

    /**
     * Java serialization, which makes whatever objects the bytes say: the filter says which are
     * allowed. Large and slow; not for keys, since objects that are equal may have different bytes.
     *
     * @param type of all values; its loader finds the classes that are read, or else that of this
     *     module does
     * @param filter is asked for all that is read, and for the classes of what is written, so that
     *     a value of one that it refuses is refused when it is put. Of the arrays that collections
     *     are read into, as {@code Object[]}, it is asked when they are read
     */
    static <T extends Serializable> Codec<T> javaSerialization(
            Class<T> type, ObjectInputFilter filter) {
        return new SerializationCodec<>(type, filter);
    }
}
