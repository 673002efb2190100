package io.polder.heap.space;

import io.polder.heap.HeapObjects;

import java.lang.foreign.MemorySegment;

/**
 * What a thread does in one critical section of the access gate, which {@link Lending} begins and
 * ends: no use passes the gate by itself.
 *
 * <p>Each use looks whether the critical section is that of the running thread, and lasts still:
 * else nothing would keep the object's memory. It asks anew whether a cycle is under way, and where
 * the object is; a cycle that begins meanwhile waits for the thread before it copies.
 *
 * <p>Confined to the thread that has made it.
 */
public final class OpenSession implements HeapObjects {
    private final Thread owner = Thread.currentThread();
    private final ObjectLookup lookup;

    /** Whether the critical section is over, or about to be; of the owner. */
    boolean over;

    /** One of the running thread, which is inside the access gate. */
    OpenSession(ObjectLookup lookup) {
        this.lookup = lookup;
    }

    private void check() {
        if (over || Thread.currentThread() != owner) {
            refuse();
        }
    }

    private void refuse() {
        Thread current = Thread.currentThread();
        if (current != owner) {
            throw new WrongThreadException(
                    "a session is for the thread that runs its function: owner="
                            + owner
                            + ", thread="
                            + current);
        }
        throw new IllegalStateException("a session ends when its function returns");
    }

    @Override
    public long size(long handle) {
        check();
        return Contents.SIZE.run(lookup, handle, 0, 0, 0, null);
    }

    private long number(long handle, long offset, int bytes) {
        check();
        return Contents.GET_NUMBER.run(lookup, handle, offset, bytes, 0, null);
    }

    private void change(NumberChange change, long handle, long offset, long value) {
        check();
        long _ = change.run(lookup, handle, offset, value, 0, null);
    }

    @Override
    public byte getByte(long handle, long offset) {
        return (byte) number(handle, offset, Byte.BYTES);
    }

    @Override
    public int getInt(long handle, long offset) {
        return (int) number(handle, offset, Integer.BYTES);
    }

    @Override
    public long getLong(long handle, long offset) {
        return number(handle, offset, Long.BYTES);
    }

    @Override
    public void setByte(long handle, long offset, byte value) {
        change(NumberChange.SET_BYTE, handle, offset, value);
    }

    @Override
    public void setInt(long handle, long offset, int value) {
        change(NumberChange.SET_INT, handle, offset, value);
    }

    @Override
    public void setLong(long handle, long offset, long value) {
        change(NumberChange.SET_LONG, handle, offset, value);
    }

    @Override
    public long get(long handle, MemorySegment destination) {
        check();
        return Contents.GET_ALL.run(lookup, handle, 0, 0, 0, destination);
    }

    @Override
    public void get(long handle, long offset, MemorySegment destination) {
        check();
        long _ = Contents.GET.run(lookup, handle, offset, 0, 0, destination);
    }

    @Override
    public void put(long handle, long offset, MemorySegment source) {
        check();
        long _ = Contents.PUT.run(lookup, handle, offset, 0, 0, source);
    }
}
