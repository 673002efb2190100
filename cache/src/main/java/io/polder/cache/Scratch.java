package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * What one operation has in hand: the bytes of its key, and what it found in the index.
 *
 * <p>The arrays are used again by other operations. So only codecs of this package are shown them;
 * others get arrays of their own, which they may keep without harm.
 *
 * <p>Owned by one operation of one thread, from {@link Scratches#take} to {@link Scratches#give}.
 * Its fields are written at every operation, and are two cache lines apart from those of the next
 * one, since the garbage collector moves them side by side.
 */
abstract sealed class Scratch permits Scratch.Padded {
    /** No thread has this id. */
    static final long NO_OWNER = 0;

    /** The largest entries that are copied to be read, and written again. */
    static final int ENTRY_BYTES = 4096;

    private static final int KEY_BYTES = 256;

    /** The thread that alone may take it; {@link #NO_OWNER} for any. */
    final long ownerId;

    /** Whether its owner has it in use: only he looks. */
    boolean isTaken;

    final byte[] entry = new byte[ENTRY_BYTES];
    final MemorySegment entrySegment = MemorySegment.ofArray(entry);

    /** What is put, if it is small: what was found stays what it is. */
    final MemorySegment newSegment = MemorySegment.ofArray(new byte[ENTRY_BYTES]);

    private final byte[] ownKey = new byte[KEY_BYTES];

    private final MemorySegment ownKeySegment = MemorySegment.ofArray(ownKey);

    /** The key, from the front. */
    byte[] key = ownKey;

    int keyBytes;
    long hash;

    /**
     * Where the entry of the key was found, and what it is; all of the same moment, at which the
     * index was in this state.
     */
    long seen;

    long line;

    int lane;
    long handle;

    /** The first word of the line. */
    long word;

    /** Where the counters of the bucket are, whether the key has an entry or not. */
    long sketchLine;

    /** Of these counters; nobody uses it, see {@link Index#loadCounters}. */
    long ahead;

    /** With the version of the line when the entry was copied. */
    long version;

    /** Whether it was the same, with the same value, when it was looked for again. */
    boolean isUnchanged;

    /** What the entry that is put takes. */
    long putFootprint;

    /** Whether the index may have the entry that is put: then it is not the operation's to free. */
    boolean isPut;

    /** An entry that is not evicted, since it is replaced. */
    long spared;

    /** How many entries were evicted with this in hand, since {@link Eviction} began to count. */
    int evicted;

    /** Whether {@link Eviction} evicts what has hits as well: it has taken them in vain. */
    boolean ignoresHits;

    private @Nullable Scratch inner;

    /** The entry on probation that is looked at, and the one of main that is its rival. */
    final Lane candidate = new Lane();

    final Lane rival = new Lane();

    /** Of the entry that was looked at last: its size, and whether {@link #entry} has it. */
    long entryBytes;

    boolean isCopied;
    long valueOffset;
    long deadline;

    private Scratch(long ownerId) {
        this.ownerId = ownerId;
    }

    /** One of a thread, by its id, or of none. */
    static Scratch of(long ownerId) {
        return new Padded(ownerId);
    }

    /** Makes room for a key that another operation may see afterwards. */
    byte[] sharedKey(int bytes) {
        byte[] room = bytes <= KEY_BYTES ? ownKey : new byte[bytes];
        setKey(room, bytes);
        return room;
    }

    /** The key's bytes. */
    MemorySegment keySegment() {
        MemorySegment all = key == ownKey ? ownKeySegment : MemorySegment.ofArray(key);
        return all.asSlice(0, keyBytes);
    }

    /** Takes a key in an array that nobody changes. */
    void setKey(byte[] array) {
        setKey(array, array.length);
    }

    /** Stores no reference that is there: the garbage collector looks at each. */
    private void setKey(byte[] array, int bytes) {
        if (key != array) {
            key = array;
        }
        keyBytes = bytes;
    }

    /** For what is done with other entries while the operation goes on. */
    Scratch inner() {
        Scratch known = inner;
        if (known == null) {
            known = of(ownerId);
            inner = known;
        }
        return known;
    }

    /** Forgets what is large. */
    void clear() {
        spared = 0;
        ignoresHits = false;
        candidate.group = null;
        rival.group = null;
        setKey(ownKey, 0);
        handle = 0;
    }

    /** See the class. */
    @SuppressWarnings("unused")
    static final class Padded extends Scratch {
        private long pad0, pad1, pad2, pad3, pad4, pad5, pad6, pad7;
        private long pad8, pad9, pad10, pad11, pad12, pad13, pad14, pad15;

        private Padded(long ownerId) {
            super(ownerId);
        }
    }
}
