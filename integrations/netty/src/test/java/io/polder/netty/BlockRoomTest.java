package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.polder.MemoryPool;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** What of its block a buffer may use, and what it does at its ends. */
class BlockRoomTest {
    private final MemoryPool pool = MemoryPool.builder().name("room").build();
    private final PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void write_asMuchAsTheBlockHas_stays() {
        for (int bytes : new int[] {1, 17, 5000, 70_000, 1_100_000}) {
            ByteBuf buffer = allocator.directBuffer(bytes);
            long address = buffer.memoryAddress();
            int room = buffer.maxFastWritableBytes();
            assertThat(room).isGreaterThanOrEqualTo(bytes);
            buffer.writeZero(room);
            assertThat(buffer.memoryAddress()).isEqualTo(address);
            assertThat(buffer.maxFastWritableBytes()).isZero();
            assertThat(buffer.writeByte(1).getByte(room)).isOne();
            assertThat(buffer.release()).isTrue();
            assertThat(buffer.maxFastWritableBytes()).isZero();
        }
        ByteBuf bounded = allocator.directBuffer(5000, 5010);
        assertThat(bounded.maxFastWritableBytes()).isEqualTo(5010);
        bounded.release();
    }

    /** With Netty's checks off the buffer's own bounds are what is left. */
    @Test
    void release_always_leavesNothingInBounds() {
        PolderByteBuf buffer =
                new PolderByteBuf(allocator, pool.blocks().allocateAddress(64), 64, 64);
        buffer.setLong(0, 1);
        assertThat(buffer.release()).isTrue();
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer._getLong(0));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer._setByte(0, 1));
        assertThat(buffer.capacity()).isZero();
    }

    @Test
    void setMedium_behindWhatIsLeftOfTheBuffer_storesNothing() {
        ByteBuf buffer = allocator.directBuffer(16);
        ByteBuf slice = buffer.slice(0, 16);
        buffer.capacity(8).setZero(0, 8);
        for (int index : new int[] {6, 7}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> slice.setMedium(index, -1));
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> slice.setMediumLE(index, -1));
        }
        assertThat(buffer.getLong(0)).isZero();
        buffer.release();
    }

    /** A stream that has some bytes and then fails, at once or when it is asked for more. */
    private static final class Failing extends InputStream {
        private final InputStream some;
        private final boolean whenAsked;
        private final boolean unchecked;

        Failing(byte[] bytes, boolean whenAsked, boolean unchecked) {
            this.some = new ByteArrayInputStream(bytes);
            this.whenAsked = whenAsked;
            this.unchecked = unchecked;
        }

        private void fail(String why) throws IOException {
            IOException failure = new IOException(why);
            if (unchecked) {
                throw new UncheckedIOException(failure);
            }
            throw failure;
        }

        @Override
        public int read() throws IOException {
            throw new IOException("one byte at a time");
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            int count = some.read(to, from, length);
            if (count <= 0) {
                fail("the end");
            }
            return count;
        }

        @Override
        public int available() throws IOException {
            if (whenAsked) {
                fail("not known");
            }
            return 1;
        }
    }

    @Test
    void setBytes_streamFailsInTheMiddle_keepsWhatWasRead() throws IOException {
        for (boolean whenAsked : new boolean[] {true, false}) {
            for (boolean unchecked : new boolean[] {true, false}) {
                failInTheMiddle(whenAsked, unchecked);
            }
        }
    }

    private void failInTheMiddle(boolean whenAsked, boolean unchecked) throws IOException {
        byte[] bytes = new byte[8 << 10];
        bytes[0] = 42;
        ByteBuf buffer = allocator.directBuffer(20 << 10);
        InputStream in = new Failing(bytes, whenAsked, unchecked);
        assertThat(buffer.writeBytes(in, 20 << 10)).isEqualTo(bytes.length);
        assertThat(buffer.readableBytes()).isEqualTo(bytes.length);
        assertThat(buffer.readByte()).isEqualTo((byte) 42);
        assertThatThrownBy(() -> buffer.writeBytes(in, 10))
                .isInstanceOf(unchecked ? UncheckedIOException.class : IOException.class);
        buffer.release();
    }

    /** What the program leaves of a buffer in the middle is what is in bounds. */
    @Test
    void streams_thatShrinkTheBuffer_reachNothingBehindIt() {
        int bytes = 20 << 10;
        ByteBuf buffer = allocator.directBuffer(bytes);
        OutputStream out =
                new OutputStream() {
                    @Override
                    public void write(int one) {
                        throw new AssertionError("one byte at a time");
                    }

                    @Override
                    public void write(byte[] from, int at, int length) {
                        buffer.capacity(12 << 10);
                    }
                };
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer.getBytes(0, out, bytes));
        InputStream in =
                new InputStream() {
                    @Override
                    public int read() {
                        throw new AssertionError("one byte at a time");
                    }

                    @Override
                    public int read(byte[] to, int at, int length) {
                        buffer.capacity(12 << 10);
                        return length;
                    }

                    @Override
                    public int available() {
                        return 1;
                    }
                };
        buffer.capacity(bytes);
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer.setBytes(0, in, bytes));
        buffer.release();
    }
}
