package io.polder.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A server on a free port whose channels have the buffers of an allocator. */
final class LoopbackServer implements AutoCloseable {
    private final EventLoopGroup loops;
    private final Channel channel;

    private LoopbackServer(EventLoopGroup loops, Channel channel) {
        this.loops = loops;
        this.channel = channel;
    }

    /** Starts one; each of its channels gets a handler of its own. */
    @SuppressWarnings("deprecation") // Netty 4.1 has no other event loops
    static LoopbackServer start(
            ByteBufAllocator allocator, Supplier<? extends ChannelHandler> handlers)
            throws InterruptedException {
        EventLoopGroup loops = new NioEventLoopGroup(1);
        Channel channel =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .childOption(ChannelOption.ALLOCATOR, allocator)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel each) {
                                        each.pipeline().addLast(handlers.get());
                                    }
                                })
                        .bind(InetAddress.getLoopbackAddress(), 0)
                        .sync()
                        .channel();
        return new LoopbackServer(loops, channel);
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
