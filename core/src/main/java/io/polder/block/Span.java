package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.FieldHandle;
import io.polder.memory.Message;
import io.polder.page.space.Extent;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Memory with blocks of one size, and what is known of it. All of this is outside the memory; in it
 * there are blocks, and in each free block the address of the next.
 *
 * <pre>{@code
 *   base                          base + carvedBytes        base + bytes
 *   | used | free | used | free | free | not carved ......... | rest of the chunk |
 *              |      ^      |
 *   head ------+      +------+      free blocks are linked
 *
 *             take                     last block freed           decay, trim
 *   chunk ------------> of a thread ------------------> empty ----------------> chunk
 *                            ^                            |
 *                            +----------------------------+  with any size of blocks
 * }</pre>
 *
 * <p>A span that is one of a thread's is <i>available</i>, in the list of its class, or <i>full</i>
 * and in no list. The first of the list is the one that its owner allocates from: it may become
 * empty and stay, but where blocks are checked; any other one may not. {@link #attention} says so.
 *
 * <p>A block of more than {@link SizeClass#BYTES_MAX} has a span of its own, with a page in place
 * of a chunk and no owner: see {@link LargeBlocks}.
 *
 * <p>Invariants: {@code carvedBytes <= dirtyBytes}, {@code carvedBytes <= committedBytes}; {@code
 * used + free blocks == carvedBytes / blockBytes}, where blocks among the {@link RemoteFrees} count
 * as used; an empty span has nothing carved. A full one has no remote frees, or is announced.
 *
 * <p><b>Ordering.</b> All is written by a thread that has the owner to itself, see {@link
 * ThreadHeap}, and read by a thread that frees a block: that one got the address after it was
 * written, and nothing it reads changes while the block is used, but for an owner whose thread has
 * ended: {@link RemoteFrees} says when that may. A block that grows where it is changes its span by
 * the thread that has it, which others get the address from afterwards. A thread that frees what is
 * no block of its program's reads what there may be, and is refused by it or not.
 */
abstract sealed class Span extends RemoteFrees.Apart permits Span.Padded {
    private static final VarHandle USED = FieldHandle.of(MethodHandles.lookup(), "used", int.class);

    /** The {@link #attention} of a span that is in no list. */
    static final int ALWAYS = Integer.MAX_VALUE;

    /** No span: where an address is in none, and where an owner has none of a class. */
    static final Span NONE = of(ThreadHeap.NOBODY);

    /** Where the first block begins; its chunk begins there as well. */
    long base;

    /** What can be carved: whole blocks. */
    long bytes;

    /** How far blocks were made. */
    long carvedBytes;

    /** Of {@link #blockBytes}: 2^64 divided by it, rounded up. */
    long reciprocal;

    long blockBytes;

    /** The first free block; 0 if there is none. */
    long head;

    int used;

    /** If no more blocks than this are used before a free, there is more to do than that. */
    int attention = ALWAYS;

    /** Whether it is in the list of the available ones of its class. */
    boolean listed;

    int sizeClass;

    ThreadHeap owner;

    /** Its neighbours among the available ones of a class; or among empty spans. */
    @Nullable Span next;

    @Nullable Span previous;

    /** {@link Chunk#NONE} if it has none. */
    long chunk;

    /** How much of the chunk is committed, from its front, at least. */
    long committedBytes;

    /** How much of it may not be zero, from its front, as far as it is committed. */
    long dirtyBytes;

    /** Whether it is one of the empty ones, or on its way from them to chunks or pages. */
    boolean empty;

    /** Of a large block; null otherwise, and when it was given. */
    @Nullable Extent page;

    /** Where blocks are checked: what is known of each; null until one is. */
    @Nullable SpanChecks checks;

    private Span(ThreadHeap owner) {
        this.owner = owner;
    }

    /** One without memory, with cache lines of its own. */
    static Span of(ThreadHeap owner) {
        return new Padded(owner);
    }

    /** Takes a free block, which there is. For who has the owner. */
    long take() {
        long block = head;
        head = ADDRESS_SPACE.get(WORD, block); // from here on nothing is called
        used++;
        return block;
    }

    /** Makes a used block free. For who has the owner. */
    void put(long block) {
        ADDRESS_SPACE.set(WORD, block, head);
        head = block; // as above
        used--;
    }

    /** Frees its only block; returns false if somebody did so before. */
    boolean freeLarge() {
        return USED.compareAndSet(this, 1, 0);
    }

    /** How many blocks are used, as far as one can see from outside. */
    int usedOpaque() {
        return (int) USED.getOpaque(this);
    }

    /** How many blocks are used and not freed by another thread either, at least while it is so. */
    int unfreed() {
        int before = usedOpaque(); // first: what is taken in between counts twice, not never
        VarHandle.loadLoadFence();
        return before - count(freedOpaque());
    }

    /** Whether no block is used. To be asked by who has the owner. */
    boolean isUnused() {
        return used == count(freedOpaque());
    }

    /** Whether a block is free for sure: it was freed last, or all were that there are. */
    boolean isFreed(long block) {
        long word = freedOpaque();
        return (word & ADDRESS_MASK) == block || count(word) * blockBytes >= bytes;
    }

    /** If none is free, makes those free that other threads have freed; returns whether one is. */
    boolean takeRemote() {
        long word = takeFreed();
        if (word == 0) {
            return false;
        }
        used -= (int) (word >>> COUNT_SHIFT) & COUNT_MASK; // as above
        head = word & ADDRESS_MASK;
        if (used < 0) {
            throw freedTwice();
        }
        return true;
    }

    /**
     * Ends that it is announced. If none is free, makes those free that other threads have freed.
     *
     * @param its the owner
     * @param rest what is left of the owner's list
     */
    void settle(ThreadHeap its, @Nullable Span rest) {
        long word = unannounce(its, rest, head == 0);
        if (word != 0) {
            used -= (int) (word >>> COUNT_SHIFT) & COUNT_MASK; // as above
            head = word & ADDRESS_MASK;
            if (used < 0) {
                throw freedTwice();
            }
        }
    }

    /** More were freed than were used: so what is free cannot be believed. */
    private AssertionError freedTwice() {
        head = 0;
        used = 0;
        return new AssertionError("a block was freed twice, by another thread: " + this);
    }

    /** Makes it one with blocks of a class; it has a chunk, and nothing is carved. Only stores. */
    void format(int itsClass, ThreadHeap itsOwner) {
        long size = SizeClass.bytes(itsClass);
        long whole = ChunkLevel.bytes((int) (chunk & Chunk.LEVEL_MASK));
        carvedBytes = 0;
        head = 0;
        used = 0;
        attention = ALWAYS;
        listed = false;
        base = chunk & Chunk.ADDRESS_MASK;
        sizeClass = itsClass;
        blockBytes = size;
        reciprocal = reciprocal(size);
        bytes = whole - whole % size;
        owner = itsOwner;
        checks = null;
    }

    /**
     * Makes its only block, which is used, longer. What is larger than those of any class counts as
     * one of the last; it does not stay with its owner when it is free. Only stores.
     */
    void extend(int itsClass, long size) {
        long its = reciprocal(size);
        dirtyBytes = Math.max(dirtyBytes, size);
        sizeClass = Math.min(itsClass, SizeClass.COUNT - 1); // from here on nothing is called
        blockBytes = size;
        reciprocal = its;
        bytes = size;
        carvedBytes = size;
    }

    private static long reciprocal(long size) {
        return Long.divideUnsigned(-1, size) + 1;
    }

    /**
     * Makes it one with a single block, which is not used yet; it has a page. What is carved is one
     * byte, so that no other address is where a block begins.
     */
    void formatLarge() {
        Extent its = page;
        if (its != null) {
            base = its.address();
            blockBytes = its.bytes();
            bytes = 1;
            carvedBytes = 1;
            reciprocal = 1;
        }
    }

    /**
     * Whether an address is where one of its blocks begins, used or free. The low word of the
     * product is the part of a block that the offset has beyond whole blocks, times 2^64, and what
     * the reciprocal was rounded up by. That is less than the reciprocal in all; a part that is not
     * 0 is at least as much.
     */
    boolean isBlock(long address) {
        long offset = address - base;
        return Long.compareUnsigned(offset, carvedBytes) < 0
                && Long.compareUnsigned(offset * reciprocal, reciprocal) < 0;
    }

    /** Whether an address lies in its memory. */
    boolean covers(long address) {
        return Long.compareUnsigned(address - base, coveredBytes()) < 0;
    }

    /** The size of its memory; 0 if it has none, as one that was given, or is lost. */
    long coveredBytes() {
        Extent its = page; // read once: another thread may give it
        return chunk != Chunk.NONE ? Chunk.bytes(chunk) : its != null ? its.bytes() : 0;
    }

    /** Of one that has a single block of a class: the size of that; 0 of all others. */
    long loneBytes() {
        return bytes == blockBytes && blockBytes <= SizeClass.BYTES_MAX ? blockBytes : 0;
    }

    /** Whether it is of a large block. */
    boolean isLarge() {
        return sizeClass == SizeClass.COUNT;
    }

    @Override
    public String toString() {
        return Message.of(
                "span[base=0x%, blockBytes=%, used=%, carvedBytes=%, dirtyBytes=%,"
                        + " committedBytes=%, bytes=%, attention=%, head=0x%, freed=0x%%]",
                base,
                blockBytes,
                used,
                carvedBytes,
                dirtyBytes,
                committedBytes,
                bytes,
                attention,
                head,
                freedOpaque(),
                empty ? ", empty" : "");
    }

    /** Ends with a cache line that nobody uses: what lies behind it may be another thread's. */
    @SuppressWarnings("unused")
    private static final class Padded extends Span {
        private long pad0, pad1, pad2, pad3, pad4, pad5, pad6, pad7;

        private Padded(ThreadHeap owner) {
            super(owner);
        }
    }
}
