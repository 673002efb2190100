package io.polder.netty;

import static io.polder.netty.NativeBytes.MEMORY;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * A direct buffer in a block of Polder's.
 *
 * <pre>{@code
 *   address                  address + capacity     address + what the block has
 *   | bytes of the buffer    | unused               |
 * }</pre>
 *
 * <p>Bounds and reference counts are Netty's: {@link io.netty.buffer.AbstractByteBuf} checks them
 * before each of the methods with an underscore. What is here reads and writes memory by address,
 * and so checks once more that it is this buffer's: slices keep their bounds when what they are of
 * shrinks.
 *
 * <p>It grows and shrinks in place as far as its block allows, otherwise in another block. When the
 * last reference is released the block is freed, by whichever thread that is.
 *
 * <p><b>Failure.</b> {@link OutOfMemoryError} that names the limit of the pool, when it is
 * allocated or grows; nothing has changed then. Not thread-safe, as Netty's buffers are not.
 */
final class PolderByteBuf extends AbstractReferenceCountedByteBuf {
    /** What is copied at a time between a stream and memory. */
    private static final int STREAM_BYTES = 8 << 10;

    /** The largest segment that the JDK wraps as a buffer: {@link MemorySegment#asByteBuffer}. */
    private static final int WRAPPED_MAX = Integer.MAX_VALUE - 8;

    private final PolderByteBufAllocator allocator;
    private long address;
    private int capacity;

    /** All of the buffer, for channels; made when it is first asked for. */
    private @Nullable ByteBuffer whole;

    /**
     * A buffer.
     *
     * @param address of a block of the allocator's that has at least {@code capacity} bytes; the
     *     buffer's from now on
     */
    PolderByteBuf(PolderByteBufAllocator allocator, long address, int capacity, int maxCapacity) {
        super(maxCapacity);
        this.allocator = allocator;
        this.capacity = capacity;
        this.address = address;
    }

    @Override
    protected void deallocate() {
        if (whole != null) { // most have none, and to write a null has a price under G1 and ZGC
            whole = null;
        }
        capacity = 0; // so that nothing is in bounds, where Netty is told not to check counts
        try {
            allocator.blocks().freeAddress(address);
        } catch (IllegalStateException misuse) { // of a block that is checked, this or another one
            allocator.freeAfter(misuse, address);
            throw misuse;
        }
        address = 0;
    }

    // What it is

    @Override
    public int capacity() {
        return capacity;
    }

    /** As far as the block has room. */
    @Override
    public int maxFastWritableBytes() {
        if (refCnt() == 0) {
            return 0;
        }
        long usable = allocator.blocks().usableSize(address);
        return (int) Math.min(usable, maxCapacity()) - writerIndex();
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        checkNewCapacity(newCapacity);
        if (refCnt() == 0) {
            throw new IllegalReferenceCountException(0); // Netty may be told not to check counts
        }
        if (newCapacity != capacity) {
            long moved = allocator.blocks().reallocateAddress(address, newCapacity);
            address = moved;
            capacity = newCapacity;
            whole = null;
            // As trimIndicesToCapacity(int) does, which early versions of Netty 4.1 do not have.
            if (writerIndex() > newCapacity) {
                setIndex(Math.min(readerIndex(), newCapacity), newCapacity);
            }
        }
        return this;
    }

    @Override
    public ByteBufAllocator alloc() {
        return allocator;
    }

    @Override
    @SuppressWarnings("deprecation") // of Netty's, and abstract there
    public ByteOrder order() {
        return ByteOrder.BIG_ENDIAN;
    }

    @Override
    @SuppressWarnings("NullAway") // Netty says null where a buffer wraps none
    public ByteBuf unwrap() {
        return null;
    }

    @Override
    public boolean isDirect() {
        return true;
    }

    @Override
    public boolean isContiguous() {
        return true;
    }

    @Override
    public boolean hasArray() {
        return false;
    }

    @Override
    public byte[] array() {
        throw new UnsupportedOperationException("a direct buffer has no array");
    }

    @Override
    public int arrayOffset() {
        throw new UnsupportedOperationException("a direct buffer has no array");
    }

    @Override
    public boolean hasMemoryAddress() {
        return true;
    }

    @Override
    public long memoryAddress() {
        ensureAccessible();
        return address;
    }

    // One value

    /**
     * Where some bytes are. Slices and duplicates ask for it, too, and have checked no more than
     * their own bounds, which stay what they were when this buffer shrinks.
     *
     * @throws IndexOutOfBoundsException if they are not within the capacity
     */
    private long at(int index, int bytes) {
        if (index < 0 || index > capacity - bytes) {
            throw outOfBounds(index, bytes, capacity);
        }
        return address + index;
    }

    private static IndexOutOfBoundsException outOfBounds(int index, int bytes, int capacity) {
        return new IndexOutOfBoundsException(
                "index: "
                        + index
                        + ", length: "
                        + bytes
                        + " (expected: range(0, "
                        + capacity
                        + "))");
    }

    @Override
    protected byte _getByte(int index) {
        return MEMORY.get(ValueLayout.JAVA_BYTE, at(index, Byte.BYTES));
    }

    @Override
    protected short _getShort(int index) {
        return MEMORY.get(NativeBytes.SHORT, at(index, Short.BYTES));
    }

    @Override
    protected short _getShortLE(int index) {
        return MEMORY.get(NativeBytes.SHORT_LE, at(index, Short.BYTES));
    }

    @Override
    protected int _getUnsignedMedium(int index) {
        return (_getByte(index) & 0xff) << 16 | (_getShort(index + 1) & 0xffff);
    }

    @Override
    protected int _getUnsignedMediumLE(int index) {
        return (_getShortLE(index) & 0xffff) | (_getByte(index + 2) & 0xff) << 16;
    }

    @Override
    protected int _getInt(int index) {
        return MEMORY.get(NativeBytes.INT, at(index, Integer.BYTES));
    }

    @Override
    protected int _getIntLE(int index) {
        return MEMORY.get(NativeBytes.INT_LE, at(index, Integer.BYTES));
    }

    @Override
    protected long _getLong(int index) {
        return MEMORY.get(NativeBytes.LONG, at(index, Long.BYTES));
    }

    @Override
    protected long _getLongLE(int index) {
        return MEMORY.get(NativeBytes.LONG_LE, at(index, Long.BYTES));
    }

    @Override
    protected void _setByte(int index, int value) {
        MEMORY.set(ValueLayout.JAVA_BYTE, at(index, Byte.BYTES), (byte) value);
    }

    @Override
    protected void _setShort(int index, int value) {
        MEMORY.set(NativeBytes.SHORT, at(index, Short.BYTES), (short) value);
    }

    @Override
    protected void _setShortLE(int index, int value) {
        MEMORY.set(NativeBytes.SHORT_LE, at(index, Short.BYTES), (short) value);
    }

    @Override
    protected void _setMedium(int index, int value) {
        long _ = at(index, 3); // all of it or nothing
        _setByte(index, value >>> 16);
        _setShort(index + 1, value);
    }

    @Override
    protected void _setMediumLE(int index, int value) {
        long _ = at(index, 3);
        _setShortLE(index, value);
        _setByte(index + 2, value >>> 16);
    }

    @Override
    protected void _setInt(int index, int value) {
        MEMORY.set(NativeBytes.INT, at(index, Integer.BYTES), value);
    }

    @Override
    protected void _setIntLE(int index, int value) {
        MEMORY.set(NativeBytes.INT_LE, at(index, Integer.BYTES), value);
    }

    @Override
    protected void _setLong(int index, long value) {
        MEMORY.set(NativeBytes.LONG, at(index, Long.BYTES), value);
    }

    @Override
    protected void _setLongLE(int index, long value) {
        MEMORY.set(NativeBytes.LONG_LE, at(index, Long.BYTES), value);
    }

    // Many bytes

    @Override
    public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int length) {
        checkDstIndex(index, length, dstIndex, dst.capacity());
        if (dst.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
        if (NativeBytes.areIn(dst, dstIndex, length)) {
            NativeBytes.copy(address + index, dst.memoryAddress() + dstIndex, length);
        } else if (dst.hasArray()) {
            NativeBytes.copy(address + index, dst.array(), dst.arrayOffset() + dstIndex, length);
        } else {
            dst.setBytes(dstIndex, this, index, length);
        }
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
        checkDstIndex(index, length, dstIndex, dst.length);
        NativeBytes.copy(address + index, dst, dstIndex, length);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuffer dst) {
        dst.put(nioBuffer(index, dst.remaining()));
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
        checkIndex(index, length);
        byte[] some = new byte[Math.min(length, STREAM_BYTES)];
        for (int done = 0; done < length; ) {
            int count = Math.min(length - done, some.length);
            NativeBytes.copy(at(index + done, count), some, 0, count);
            out.write(some, 0, count);
            done += count;
        }
        return this;
    }

    @Override
    public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
        checkIndex(index, length);
        return length == 0 ? 0 : out.write(nioBuffer(index, length));
    }

    @Override
    public int getBytes(int index, FileChannel out, long position, int length) throws IOException {
        checkIndex(index, length);
        return length == 0 ? 0 : out.write(nioBuffer(index, length), position);
    }

    @Override
    public int readBytes(GatheringByteChannel out, int length) throws IOException {
        checkReadableBytes(length);
        int read = length == 0 ? 0 : out.write(internalNioBuffer(readerIndex(), length));
        readerIndex(readerIndex() + read);
        return read;
    }

    @Override
    public int readBytes(FileChannel out, long position, int length) throws IOException {
        checkReadableBytes(length);
        int read = length == 0 ? 0 : out.write(internalNioBuffer(readerIndex(), length), position);
        readerIndex(readerIndex() + read);
        return read;
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int length) {
        checkSrcIndex(index, length, srcIndex, src.capacity());
        if (NativeBytes.areIn(src, srcIndex, length)) {
            NativeBytes.copy(src.memoryAddress() + srcIndex, address + index, length);
        } else if (src.hasArray()) {
            NativeBytes.copy(src.array(), src.arrayOffset() + srcIndex, address + index, length);
        } else {
            src.getBytes(srcIndex, this, index, length);
        }
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, byte[] src, int srcIndex, int length) {
        checkSrcIndex(index, length, srcIndex, src.length);
        NativeBytes.copy(src, srcIndex, address + index, length);
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuffer src) {
        nioBuffer(index, src.remaining()).put(src);
        return this;
    }

    @Override
    public int setBytes(int index, InputStream in, int length) throws IOException {
        checkIndex(index, length);
        byte[] some = new byte[Math.min(length, STREAM_BYTES)];
        int done = 0;
        do {
            int wanted = Math.min(length - done, some.length);
            int count = read(in, some, wanted, done);
            if (count > 0) {
                NativeBytes.copy(some, 0, at(index + done, count), count);
                done += count;
            }
            if (count < wanted) {
                return done == 0 ? count : done;
            }
        } while (done < length && hasMore(in)); // as one read would, never waits for more
        return done;
    }

    /** Reads some bytes; where it fails after others were read, there are no more for now. */
    private static int read(InputStream in, byte[] some, int wanted, int done) throws IOException {
        try {
            return in.read(some, 0, wanted);
        } catch (IOException | RuntimeException failure) {
            if (done == 0) {
                throw failure;
            }
            return 0;
        }
    }

    private static boolean hasMore(InputStream in) {
        try {
            return in.available() > 0;
        } catch (IOException | RuntimeException unknown) {
            return false;
        }
    }

    @Override
    public int setBytes(int index, ScatteringByteChannel in, int length) throws IOException {
        checkIndex(index, length);
        try {
            return in.read(internalNioBuffer(index, length));
        } catch (ClosedChannelException end) {
            return -1; // as Netty's buffers have it
        }
    }

    @Override
    public int setBytes(int index, FileChannel in, long position, int length) throws IOException {
        checkIndex(index, length);
        try {
            return in.read(internalNioBuffer(index, length), position);
        } catch (ClosedChannelException end) {
            return -1;
        }
    }

    @Override
    public ByteBuf setZero(int index, int length) {
        checkIndex(index, length);
        MEMORY.asSlice(address + index, length).fill((byte) 0);
        return this;
    }

    @Override
    public ByteBuf copy(int index, int length) {
        checkIndex(index, length);
        return alloc().directBuffer(length, maxCapacity()).writeBytes(this, index, length);
    }

    // As buffers of the JDK

    @Override
    public int nioBufferCount() {
        return 1;
    }

    @Override
    public ByteBuffer nioBuffer(int index, int length) {
        checkIndex(index, length);
        return segment(index, length).asByteBuffer();
    }

    @Override
    public ByteBuffer[] nioBuffers(int index, int length) {
        return new ByteBuffer[] {nioBuffer(index, length)};
    }

    @Override
    public ByteBuffer internalNioBuffer(int index, int length) {
        checkIndex(index, length);
        if (capacity > WRAPPED_MAX) {
            return segment(index, length).asByteBuffer();
        }
        ByteBuffer all = whole;
        if (all == null) {
            all = segment(0, capacity).asByteBuffer();
            whole = all;
        }
        return all.clear().position(index).limit(index + length);
    }

    private MemorySegment segment(int index, int length) {
        return MEMORY.asSlice(address + index, length);
    }
}
