package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.polder.MemoryPool;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What programs do with buffers, by methods that the earliest Netty has for which these buffers
 * are: one of {@code netty.first.version}, with which this test is run by itself, too. What a later
 * Netty has for those who write buffers cannot be called there.
 */
class EarlierNettyTest {
    private final MemoryPool pool = MemoryPool.builder().name("earlier").build();
    private final PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool);
    private ByteBuf buffer;

    @BeforeEach
    void setUp() {
        buffer = allocator.directBuffer(16);
    }

    @AfterEach
    void tearDown() {
        assertThat(buffer.release()).isTrue();
        assertThatThrownBy(buffer::release).isInstanceOf(IllegalReferenceCountException.class);
        assertThat(pool.stats().blocks().usedCount()).isZero();
        pool.close();
    }

    @Test
    void capacity_grownAndShrunk_keepsContentAndIndices() {
        for (int i = 0; i < 100_000; i++) {
            buffer.writeInt(i);
        }
        for (int i = 0; i < 100_000; i++) {
            assertThat(buffer.readInt()).isEqualTo(i);
        }
        buffer.capacity(10);
        assertThat(buffer.readerIndex()).isEqualTo(10);
        assertThat(buffer.writerIndex()).isEqualTo(10);
        assertThat(buffer.getLong(0)).isEqualTo(1);
        buffer.capacity(100);
        assertThat(buffer.writerIndex()).isEqualTo(10);
        buffer.setIndex(2, 50).capacity(20);
        assertThat(buffer.readerIndex()).isEqualTo(2);
        assertThat(buffer.writerIndex()).isEqualTo(20);
    }

    @Test
    void values_ofAllSizes_areReadAsWritten() {
        buffer.writeMedium(-5).writeShort(4).writeBoolean(true).writeDouble(0.5).writeIntLE(7);
        assertThat(buffer.readMedium()).isEqualTo(-5);
        assertThat(buffer.readShort()).isEqualTo((short) 4);
        assertThat(buffer.readBoolean()).isTrue();
        assertThat(buffer.readDouble()).isEqualTo(0.5);
        assertThat(buffer.readIntLE()).isEqualTo(7);
        buffer.discardReadBytes();
        assertThat(buffer.writerIndex()).isZero();
        buffer.writeBytes("hello".getBytes(StandardCharsets.US_ASCII));
        ByteBufUtil.writeUtf8(buffer, "w\u00f6rld");
        assertThat(buffer.toString(StandardCharsets.UTF_8)).isEqualTo("hellow\u00f6rld");
        assertThat(buffer.indexOf(0, 5, (byte) 'l')).isEqualTo(2);
        assertThat(buffer.nioBuffer().order()).isEqualTo(ByteOrder.BIG_ENDIAN);
    }

    @Test
    void copies_toAndFromOthers_haveTheSameBytes() throws IOException {
        buffer.writeLong(9);
        ByteBuf heap = allocator.heapBuffer(4).writeBytes(buffer, 0, 8);
        heap.capacity(100).capacity(8);
        ByteBuf copy = buffer.copy();
        copy.setLong(0, 0).setBytes(0, heap, 0, 8);
        assertThat(copy).isEqualTo(buffer);
        ByteBuffer other = ByteBuffer.allocateDirect(8);
        copy.getBytes(0, other);
        other.flip();
        copy.setZero(0, 8).setBytes(0, other);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        copy.getBytes(0, out, 8).setZero(0, 8);
        copy.setBytes(0, new ByteArrayInputStream(out.toByteArray()), 8);
        assertThat(copy.getLong(0)).isEqualTo(9);
        assertThat(heap.release() && copy.release()).isTrue();
    }

    @Test
    void file_writtenAndRead_hasTheBytes() throws IOException {
        Path file = Files.createTempFile("polder", ".bytes");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            buffer.writeLong(9).readBytes(channel, 8);
            channel.position(0);
            assertThat(buffer.writeBytes(channel, 8)).isEqualTo(8);
            assertThat(buffer.getLong(8)).isEqualTo(9);
            assertThat(buffer.getBytes(8, channel, 8, 8)).isEqualTo(8);
            assertThat(buffer.setBytes(0, channel, 8, 8)).isEqualTo(8);
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void composite_ofSlices_readsAll() {
        buffer.writeInt(1).writeInt(2);
        CompositeByteBuf both = allocator.compositeBuffer();
        both.addComponent(true, buffer.retainedSlice(4, 4));
        both.addComponent(true, buffer.retainedDuplicate().writerIndex(4));
        assertThat(both.readLong()).isEqualTo(2L << 32 | 1);
        both.consolidate();
        assertThat(both.release()).isTrue();
        assertThat(allocator.metric().usedDirectMemory()).isPositive();
    }
}
