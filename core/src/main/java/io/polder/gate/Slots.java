package io.polder.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Places for visitors, each written by one thread and read by those who wait.
 *
 * <pre>{@code
 *   block    | padding | slot 0 | slot 1 | ... | slot 63 | padding |     long[]
 *
 *   slot     | VISIT | SIGNALS | unused up to STRIDE |                two cache lines
 *
 *   signals  CLOSED: begin no visit      WANTED: say so when you leave
 * }</pre>
 *
 * <p>A slot is used again when its thread has ended, and is never removed: who waits may look at
 * every slot that was ever there. What a visitor reads lies next to what it writes, so that a visit
 * touches no memory that other threads touch.
 *
 * <p>Invariant: {@code count <= blocks * BLOCK_SLOTS}. A slot is published, by {@code count},
 * before its first use; {@code blocks} and {@code count} only grow.
 *
 * <p>Ordering: VISIT is written with release by its thread and read with acquire by those who wait.
 * What else is needed, see {@link SlotProtocol}. SIGNALS is changed atomically.
 */
final class Slots {
    /** Two cache lines, for the adjacent-line prefetch. */
    static final int STRIDE = 16;

    static final int BLOCK_SLOTS = 64;

    static final long CLOSED = 1;
    static final long WANTED = 2;

    /** Relative to where the slot begins. */
    private static final int SIGNALS = 1;

    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    private volatile long[][] blocks = {};
    private volatile int count;

    /** How many slots there are. */
    int count() {
        return count;
    }

    /** Adds a slot, outside any visit; returns its number. One caller at a time. */
    int append(long signals) {
        int slot = count;
        if (slot == blocks.length * BLOCK_SLOTS) {
            long[][] more = Arrays.copyOf(blocks, blocks.length + 1);
            more[blocks.length] = new long[STRIDE * (BLOCK_SLOTS + 2)];
            blocks = more;
        }
        setSignals(block(slot), at(slot), signals);
        count = slot + 1;
        return slot;
    }

    /** The block that a slot lies in. */
    long[] block(int slot) {
        return blocks[slot / BLOCK_SLOTS];
    }

    /** Where in its block a slot begins. */
    static int at(int slot) {
        return STRIDE * (1 + slot % BLOCK_SLOTS);
    }

    /** The visit, as its own thread sees it. */
    static long visit(long[] block, int at) {
        return (long) WORDS.get(block, at);
    }

    static long visitAcquire(long[] block, int at) {
        return (long) WORDS.getAcquire(block, at);
    }

    static void setVisitRelease(long[] block, int at, long visit) {
        WORDS.setRelease(block, at, visit);
    }

    /** For a thread that is inside and stays so. */
    static void setVisitOpaque(long[] block, int at, long visit) {
        WORDS.setOpaque(block, at, visit);
    }

    static long signalsAcquire(long[] block, int at) {
        return (long) WORDS.getAcquire(block, at + SIGNALS);
    }

    static void setSignals(long[] block, int at, long signals) {
        WORDS.setVolatile(block, at + SIGNALS, signals);
    }

    static void addSignal(long[] block, int at, long signal) {
        WORDS.getAndBitwiseOr(block, at + SIGNALS, signal);
    }

    /** Takes a signal away; whether it was there. */
    static boolean removeSignal(long[] block, int at, long signal) {
        return ((long) WORDS.getAndBitwiseAnd(block, at + SIGNALS, ~signal) & signal) != 0;
    }
}
