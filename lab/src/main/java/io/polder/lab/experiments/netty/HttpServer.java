package io.polder.lab.experiments.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.Future;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * HTTP/1.1 on the loopback by Netty's codecs. A request has a body, which is collected; its path is
 * a number, and so many bytes the answer has.
 *
 * <p>An event loop for each processor.
 */
final class HttpServer implements AutoCloseable {
    /** What all bodies are made of. */
    static final byte CONTENT = 0x5a;

    private static final byte[] PIECE = new byte[8 << 10];

    private final EventLoopGroup loops;
    private final Channel channel;

    static {
        Arrays.fill(PIECE, CONTENT);
    }

    /** Starts it on a port of its own. */
    HttpServer(ByteBufAllocator allocator, int bodyBytesMax) throws InterruptedException {
        loops =
                new MultiThreadIoEventLoopGroup(
                        Runtime.getRuntime().availableProcessors(), NioIoHandler.newFactory());
        channel =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.ALLOCATOR, allocator)
                        .childOption(ChannelOption.ALLOCATOR, allocator)
                        .childHandler(new Pipeline(bodyBytesMax))
                        .bind(InetAddress.getLoopbackAddress(), 0)
                        .sync()
                        .channel();
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        Future<?> ended = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        ended.syncUninterruptibly();
    }

    private static final class Pipeline extends ChannelInitializer<Channel> {
        private final int bodyBytesMax;

        Pipeline(int bodyBytesMax) {
            this.bodyBytesMax = bodyBytesMax;
        }

        @Override
        protected void initChannel(Channel channel) {
            channel.pipeline()
                    .addLast(
                            new HttpServerCodec(),
                            new HttpObjectAggregator(bodyBytesMax),
                            new Answering());
        }
    }

    /** Answers a request when all of it has come. */
    private static final class Answering extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            ByteBuf sent = request.content();
            if (sent.getByte(sent.writerIndex() - 1) != CONTENT) {
                throw new IllegalStateException("a body must come as it was sent");
            }
            int bytes = Integer.parseInt(request.uri().substring(1));
            ByteBuf body = context.alloc().directBuffer(bytes);
            while (body.readableBytes() < bytes) {
                body.writeBytes(PIECE, 0, Math.min(PIECE.length, bytes - body.readableBytes()));
            }
            DefaultFullHttpResponse response =
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
            response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, bytes);
            ChannelFuture _ = context.write(response);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        /** The client finds its connection closed, and says so. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            System.err.println("The server failed: " + cause);
            ChannelFuture _ = context.close();
        }
    }
}
