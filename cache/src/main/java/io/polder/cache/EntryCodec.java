package io.polder.cache;

import io.polder.heap.StaleHandleException;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Keys and values as bytes, and entries made of them.
 *
 * <p>Codecs of this package work in the arrays of a {@link Scratch}. Others, which may keep the
 * segments they get, have arrays of their own when they write, and read in place, from a segment
 * that dies with the call, or from a copy of their own: of what may be {@linkplain Recycled written
 * again}, none but a copy is shown.
 *
 * <p>Thread-safe.
 */
final class EntryCodec<K, V> {
    /** Larger entries are written in place. */
    static final long ARRAY_BYTES_MAX = 1 << 16;

    /** Larger keys are refused: they are compared as a whole. */
    private static final long KEY_BYTES_MAX = 1 << 20;

    /** How much of a key a message says, at most. */
    private static final int SAID_CHARS = 200;

    private final Store store;
    final Entries entries;
    private final EntryLayout layout;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final @Nullable PlainCodec<K> plainKeys;
    private final @Nullable PlainCodec<V> plainValues;
    private final int fixedValueBytes;

    EntryCodec(Store store, Codec<K> keys, Codec<V> values) {
        this.store = store;
        this.entries = store.entries;
        this.layout = store.entries.layout;
        this.keys = keys;
        this.values = values;
        this.plainKeys = keys instanceof PlainCodec<K> plain ? plain : null;
        this.plainValues = values instanceof PlainCodec<V> plain ? plain : null;
        this.fixedValueBytes = fixedBytes(values);
    }

    /**
     * How many bytes each value of a codec has. Asked once: entries are laid out by it.
     *
     * @throws IllegalStateException if it is no such number
     */
    static int fixedBytes(Codec<?> codec) {
        int bytes = codec.fixedBytes();
        if (bytes < -1) {
            throw new IllegalStateException(
                    "a codec must give fixedBytes of 0 or more, or -1: codec="
                            + codec
                            + ", fixedBytes="
                            + bytes);
        }
        return bytes;
    }

    /**
     * What files have of a codec.
     *
     * @throws IllegalStateException if it gives null
     */
    static String format(Codec<?> codec) {
        @Nullable String format = codec.format();
        if (format == null) {
            throw new IllegalStateException(
                    "a codec must not give a format that is null: codec=" + codec);
        }
        return format;
    }

    /** Writes a key to the scratch. */
    void setKey(K key, Scratch scratch) {
        long bytes = size(keys, key, layout.keyBytes());
        if (bytes > KEY_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a key must not have more than " + KEY_BYTES_MAX + " bytes: bytes=" + bytes);
        }
        PlainCodec<K> plain = plainKeys;
        if (plain != null) {
            plain.write(key, scratch.sharedKey((int) bytes), (int) bytes);
        } else {
            byte[] array = new byte[(int) bytes];
            keys.write(key, MemorySegment.ofArray(array));
            scratch.setKey(array);
        }
        entries.setHash(scratch);
    }

    /** Whether a key may have so many bytes. */
    boolean isKeySize(long bytes) {
        int fixed = layout.keyBytes();
        return fixed >= 0 ? bytes == fixed : bytes <= KEY_BYTES_MAX;
    }

    private static <T> long size(Codec<T> codec, T value, int fixed) {
        long bytes = codec.size(value);
        if (bytes < 0 || (fixed >= 0 && bytes != fixed)) {
            throw new IllegalArgumentException(
                    "a codec must give a size of 0 or more, and the fixed one if it has one: codec="
                            + codec
                            + ", size="
                            + bytes
                            + ", fixedBytes="
                            + fixed);
        }
        return bytes;
    }

    /** The size of a value. */
    long valueBytes(V value) {
        return size(values, value, fixedValueBytes);
    }

    /** What is thrown where an entry is larger than entries may be, and that is refused. */
    IllegalArgumentException tooLarge(int keyBytes, long valueBytes) {
        return new IllegalArgumentException(
                "an entry must not take more than an eighth of maximumBytes, or 2 GiB:"
                        + " keyBytes="
                        + keyBytes
                        + ", valueBytes="
                        + valueBytes
                        + ", most="
                        + store.budget.entryBytesMax());
    }

    private long front(int keyBytes) {
        return layout.keyOffset(keyBytes) + (long) keyBytes;
    }

    private <T> void write(
            MemorySegment content, Scratch key, Codec<T> codec, T value, long deadline) {
        layout.writeFront(content, deadline, key.key, key.keyBytes);
        codec.write(value, content.asSlice(front(key.keyBytes)));
    }

    /** Whether an entry of these sizes is larger than entries may be. */
    boolean isTooLarge(int keyBytes, long valueBytes) {
        long most = store.budget.entryBytesMax();
        return valueBytes > most || Entries.footprint(front(keyBytes) + valueBytes) > most;
    }

    /**
     * Makes an entry of the key in hand, which is in no index yet.
     *
     * @return its handle; {@link Store#NONE} if there is no memory for it
     */
    long create(Scratch key, V value, long valueBytes, long deadline) {
        return create(key, values, value, valueBytes, deadline);
    }

    /** The same with a value whose bytes are known. */
    long create(Scratch key, MemorySegment value, long deadline) {
        return create(key, PlainCodecs.SEGMENTS, value, value.byteSize(), deadline);
    }

    private <T> long create(Scratch key, Codec<T> codec, T value, long valueBytes, long deadline) {
        long bytes = front(key.keyBytes) + valueBytes;
        if (bytes > ARRAY_BYTES_MAX) {
            return createLarge(key, codec, value, bytes, deadline);
        }
        boolean shared = codec instanceof PlainCodec && bytes <= Scratch.ENTRY_BYTES;
        MemorySegment content =
                shared
                        ? key.newSegment.asSlice(0, bytes)
                        : MemorySegment.ofArray(new byte[(int) bytes]);
        write(content, key, codec, value, deadline);
        return store.create(key, content);
    }

    /** One that is too large for an array is written in its place. */
    private <T> long createLarge(Scratch key, Codec<T> codec, T value, long bytes, long deadline) {
        key.putFootprint = Entries.footprint(bytes);
        long handle = store.allocate(key, bytes, null);
        if (handle == Store.NONE) {
            return Store.NONE;
        }
        boolean written = false;
        try {
            entries.update(handle, content -> write(content, key, codec, value, deadline));
            written = true;
        } finally {
            if (!written) {
                entries.heap.free(handle);
            }
        }
        return handle;
    }

    /**
     * The value of the entry that was found.
     *
     * @throws StaleHandleException if it was replaced or removed meanwhile
     */
    V value(Scratch found) {
        if (!found.isCopied) {
            return read(found.handle, value -> read(values, value));
        }
        try {
            PlainCodec<V> plain = plainValues;
            if (plain != null) { // that of a record calls its constructor
                int from = (int) found.valueOffset;
                return plain.read(found.entry, from, (int) found.entryBytes - from);
            }
            return show(copiedValue(found), value -> read(values, value));
        } catch (StaleHandleException others) {
            throw isNotOurs(others);
        }
    }

    private static MemorySegment copiedValue(Scratch found) {
        long bytes = found.entryBytes - found.valueOffset;
        return found.entrySegment.asSlice(found.valueOffset, bytes);
    }

    /** Codecs of this package are shown the bytes where they are. */
    private static <T> T read(Codec<T> codec, MemorySegment from, boolean plain) {
        return plain ? read(codec, from) : show(from, bytes -> read(codec, bytes));
    }

    private static <T> T read(Codec<T> codec, MemorySegment from) {
        @Nullable T read = codec.read(from);
        if (read == null) {
            throw new IllegalStateException(
                    "a codec must not read null: codec=" + codec + ", bytes=" + from.byteSize());
        }
        return read;
    }

    /** A copy of the value of the small entry that was found, to be shown to a function. */
    MemorySegment copyOfValue(Scratch found) {
        return MemorySegment.ofArray(copiedValue(found).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Lets a function read a copy of a value. */
    <R extends @Nullable Object> R read(
            MemorySegment copy, Function<? super MemorySegment, ? extends R> reader) {
        try {
            return show(copy, reader);
        } catch (StaleHandleException others) {
            throw isNotOurs(others);
        }
    }

    /**
     * Lets a function read the value of a large entry in place.
     *
     * @throws StaleHandleException if it was replaced or removed meanwhile
     */
    <R extends @Nullable Object> R read(
            long handle, Function<? super MemorySegment, ? extends R> reader) {
        return readOnce(handle, entry -> reader.apply(layout.value(entry)));
    }

    /** A value that somebody asks for, by its bytes. */
    @SuppressWarnings("unchecked") // a value of another class is refused by the codec
    Sought sought(Object value) {
        try {
            return new Sought(valueBytes((V) value), to -> values.write((V) value, to));
        } catch (Exception _) {
            return Sought.refused();
        }
    }

    /**
     * Whether the value of the entry that was found has these bytes.
     *
     * @throws StaleHandleException if it was replaced or removed meanwhile
     */
    boolean has(Scratch found, Sought value) {
        MemorySegment bytes = value.ofSize(found.entryBytes - found.valueOffset);
        if (bytes == null) {
            return false;
        }
        return found.isCopied
                ? copiedValue(found).mismatch(bytes) < 0
                : entries.read(found.handle, entry -> layout.value(entry).mismatch(bytes) < 0);
    }

    /** Whether an entry has a value of these bytes. */
    boolean has(MemorySegment entry, Sought value) {
        MemorySegment own = layout.value(entry);
        MemorySegment bytes = value.ofSize(own.byteSize());
        return bytes != null && own.mismatch(bytes) < 0;
    }

    /** Key and value. */
    record Pair<K, V>(K key, V value) {}

    /**
     * What an entry has.
     *
     * @throws IllegalStateException that has its key, if a codec throws
     * @throws StaleHandleException if it was freed
     */
    Pair<K, V> pair(long handle) {
        return readOnce(handle, this::pair);
    }

    Pair<K, V> pair(MemorySegment entry) {
        return pair(layout.key(entry), layout.value(entry));
    }

    /** The same of their bytes. */
    Pair<K, V> pair(byte[] key, MemorySegment value) {
        return pair(MemorySegment.ofArray(key), value);
    }

    private Pair<K, V> pair(MemorySegment keyBytes, MemorySegment valueBytes) {
        K key = knownKey(keyBytes);
        try {
            return new Pair<>(key, read(values, valueBytes, plainValues != null));
        } catch (Exception thrown) {
            Supplier<String> hex = () -> hex(keyBytes);
            throw unreadable("value", key instanceof byte[] ? hex.get() : said(key, hex), thrown);
        }
    }

    private K knownKey(MemorySegment bytes) {
        try {
            return read(keys, bytes, plainKeys != null);
        } catch (Exception thrown) {
            throw unreadable("key", hex(bytes), thrown);
        }
    }

    /** What an object of the program says; something else if it throws instead. */
    private static String said(Object object, Supplier<String> otherwise) {
        try {
            return "" + object; // which it may say is null
        } catch (Throwable _) {
            return otherwise.get();
        }
    }

    private static String hex(MemorySegment bytes) {
        byte[] first =
                bytes.asSlice(0, Math.min(bytes.byteSize(), SAID_CHARS))
                        .toArray(ValueLayout.JAVA_BYTE);
        return HexFormat.of().formatHex(first);
    }

    /** Who did not name the key cannot know otherwise what it is. */
    private static IllegalStateException unreadable(String what, String key, Exception thrown) {
        String name = key.length() <= SAID_CHARS ? key : key.substring(0, SAID_CHARS) + "...";
        String said = said(thrown, thrown.getClass()::getName);
        return new IllegalStateException(
                "the " + what + " of an entry must be readable: key=" + name + ", " + said, thrown);
    }

    /**
     * Lets a function read an entry that was met, a large one in place. If that is gone, it reads
     * what its key has now.
     *
     * @return what the function returns; null if the key has no value any more
     */
    <R> @Nullable R read(Met met, Function<? super MemorySegment, ? extends R> reader) {
        if (met.isWhole()) {
            return reader.apply(met.segment());
        }
        try {
            return readOnce(met.handle, reader);
        } catch (StaleHandleException _) {
            return readAnew(met, reader);
        }
    }

    private <R> @Nullable R readAnew(Met met, Function<? super MemorySegment, ? extends R> reader) {
        Scratch scratch = store.scratches.take();
        try {
            entries.setKey(met.bytes, scratch);
            while (store.find(scratch)) {
                if (scratch.isCopied) {
                    byte[] copy = Arrays.copyOf(scratch.entry, (int) scratch.entryBytes);
                    return reader.apply(MemorySegment.ofArray(copy));
                }
                try {
                    return readOnce(scratch.handle, reader);
                } catch (StaleHandleException _) {
                    // Another value of the key is there, or none.
                }
            }
            return null;
        } finally {
            store.scratches.give(scratch);
        }
    }

    /**
     * The key of an entry.
     *
     * @throws IllegalStateException that says which, if its codec throws
     */
    K key(MemorySegment entry) {
        return knownKey(layout.key(entry));
    }

    /**
     * Lets a codec or a function of the program read bytes as it does in place: from a read-only
     * segment outside the Java heap, of which {@link MemorySegment#asByteBuffer} makes a buffer,
     * and which dies afterwards. Its memory is not the pool's, which may be full.
     */
    private static <R extends @Nullable Object> R show(
            MemorySegment bytes, Function<? super MemorySegment, ? extends R> reader) {
        if (bytes.isReadOnly()) {
            return reader.apply(bytes);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(bytes.byteSize(), Long.BYTES);
            return reader.apply(copy.copyFrom(bytes).asReadOnly());
        }
    }

    /** So that a stale handle of somebody else, thrown by the function, is not taken for ours. */
    private <R extends @Nullable Object> R readOnce(
            long handle, Function<? super MemorySegment, ? extends R> reader) {
        boolean[] entered = new boolean[1];
        try {
            return entries.read(
                    handle,
                    entry -> {
                        entered[0] = true;
                        return reader.apply(entry);
                    });
        } catch (StaleHandleException stale) {
            throw entered[0] ? isNotOurs(stale) : stale;
        }
    }

    /** So that nobody looks again for what was found. */
    private static IllegalStateException isNotOurs(StaleHandleException others) {
        return new IllegalStateException(
                "a function that reads an entry has used a stale handle", others);
    }
}
