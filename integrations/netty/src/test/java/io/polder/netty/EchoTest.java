package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

/** A server whose channels have Polder's buffers, and a client without Netty. */
class EchoTest {
    private final MemoryPool pool =
            MemoryPool.builder()
                    .name("echo")
                    .decay(Duration.ofHours(1)) // so that a trim gives all back at once
                    .build();
    private final PolderByteBufAllocator allocator = new PolderByteBufAllocator(pool);

    @Test
    void echo_overTheLoopback_returnsWhatWasSent() throws Exception {
        try (LoopbackServer server = LoopbackServer.start(allocator, Echo::new)) {
            for (int bytes : new int[] {1, 1000, 100_000, 3_000_000}) {
                exchange(server.port(), bytes);
            }
        }
        pool.trim();
        assertThat(pool.stats().committedBytes()).isZero();
        pool.close();
    }

    private static void exchange(int port, int bytes) throws IOException, InterruptedException {
        byte[] sent = new byte[bytes];
        new Random(bytes).nextBytes(sent);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Thread sender =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            socket.getOutputStream().write(sent);
                                        } catch (IOException closed) {
                                            throw new IllegalStateException(closed);
                                        }
                                    });
            socket.setSoTimeout(200_000);
            byte[] got = new byte[bytes];
            new DataInputStream(socket.getInputStream()).readFully(got);
            sender.join();
            assertThat(Arrays.equals(got, sent)).isTrue();
        }
    }

    /** Sends back what comes; looks whether the buffer is one of ours. */
    private final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            if (buffer.alloc() == allocator && buffer.isDirect()) {
                ChannelFuture _ = context.write(buffer);
            } else {
                buffer.release();
                ChannelFuture _ = context.close();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
