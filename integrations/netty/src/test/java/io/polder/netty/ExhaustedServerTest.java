package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server whose pool is exhausted in the middle of an answer. */
class ExhaustedServerTest {
    private static final int PIECE = 64 << 10;
    private static final int LIMIT = 8 << 20;

    private final MemoryPool pool =
            MemoryPool.builder()
                    .name("frontend")
                    .committedMaxBytes(LIMIT)
                    .decay(Duration.ofHours(1)) // so that a trim gives all back at once
                    .build();
    private final PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool);
    private final BlockingQueue<Throwable> caught = new LinkedBlockingQueue<>();

    @Test
    void answer_largerThanThePool_failsItsChannelAndTheServerGoesOn() throws Exception {
        try (LoopbackServer server = LoopbackServer.start(allocator, Answer::new)) {
            int port = server.port();
            assertThat(ask(port, 4)).isEqualTo(4L * PIECE);
            for (int round = 0; round < 3; round++) {
                assertThat(ask(port, 4 * LIMIT / PIECE)).isLessThan(4L * LIMIT);
                assertThat(caught.poll(200, TimeUnit.SECONDS))
                        .isInstanceOf(OutOfMemoryError.class)
                        .hasMessageContaining("committedMaxBytes=" + LIMIT);
                assertThat(ask(port, 4)).isEqualTo(4L * PIECE);
            }
        }
        assertThat(caught).isEmpty();
        pool.trim();
        assertThat(pool.stats().committedBytes()).isZero();
        pool.close();
    }

    /** Before the first byte of a request is read. */
    @Test
    void request_poolIsFull_failsItsChannelAndTheServerGoesOn() throws Exception {
        List<ByteBuf> held = new ArrayList<>();
        try (LoopbackServer server = LoopbackServer.start(allocator, Answer::new)) {
            for (int size = PIECE; size > 0; size /= 4) {
                fill(held, size);
            }
            assertThat(ask(server.port(), 4)).isZero();
            assertThat(caught.poll(200, TimeUnit.SECONDS))
                    .isInstanceOf(OutOfMemoryError.class)
                    .hasMessageContaining("committedMaxBytes=" + LIMIT);
            held.forEach(ByteBuf::release);
            pool.trim();
            assertThat(ask(server.port(), 4)).isEqualTo(4L * PIECE);
        }
        assertThat(caught).isEmpty();
        pool.trim();
        assertThat(pool.stats().committedBytes()).isZero();
        pool.close();
    }

    private void fill(List<ByteBuf> held, int size) {
        try {
            while (true) {
                held.add(allocator.directBuffer(size));
            }
        } catch (OutOfMemoryError full) {
            assertThat(full).hasMessageContaining("committedMaxBytes=" + LIMIT);
        }
    }

    /** Asks for so many pieces, and returns how many bytes come. */
    private static long ask(int port, int pieces) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            new DataOutputStream(socket.getOutputStream()).writeInt(pieces);
            socket.setSoTimeout(200_000);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] piece = new byte[PIECE];
            long bytes = 0;
            try {
                while (bytes < (long) pieces * PIECE) {
                    in.readFully(piece);
                    bytes += piece.length;
                }
            } catch (EOFException | SocketException closed) {
                // The answer ends where the server could not go on.
            }
            return bytes;
        }
    }

    /** Answers with all pieces at once, as a handler does that does not look at writability. */
    private final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            int pieces = message.readInt();
            for (int i = 0; i < pieces; i++) {
                ByteBuf piece = context.alloc().directBuffer(PIECE).writeZero(PIECE);
                ChannelFuture _ = context.write(piece);
            }
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            caught.add(cause);
            ChannelFuture _ = context.close();
        }
    }
}
