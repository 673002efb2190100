package io.polder.agent;

/** Programs that have a Netty. They say by which allocator its buffers come. */
final class NettyPrograms {
    /** A server that sends back what it gets, and a client without Netty. */
    static final String ECHO =
            """
            package example;

            import io.netty.bootstrap.ServerBootstrap;
            import io.netty.buffer.*;
            import io.netty.channel.*;
            import io.netty.channel.nio.NioEventLoopGroup;
            import io.netty.channel.socket.nio.NioServerSocketChannel;
            import java.io.*;
            import java.net.*;
            import java.util.*;

            @SuppressWarnings("deprecation") // Netty 4.1 has no other event loops
            public class Echo {
                static final class Handler extends ChannelInboundHandlerAdapter {
                    static ByteBufAllocator seen;

                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ByteBuf buffer = (ByteBuf) message;
                        if (seen == null) {
                            seen = buffer.alloc();
                            System.out.println(seen.getClass().getName());
                            System.out.println("direct=" + buffer.isDirect()
                                    + " pooled=" + seen.isDirectBufferPooled());
                        }
                        context.write(buffer);
                    }

                    @Override
                    public void channelReadComplete(ChannelHandlerContext context) {
                        context.flush();
                    }
                }

                public static void main(String[] arguments) throws Exception {
                    EventLoopGroup loops = new NioEventLoopGroup(1);
                    ServerBootstrap bootstrap = new ServerBootstrap()
                            .group(loops)
                            .channel(NioServerSocketChannel.class)
                            .childHandler(new ChannelInitializer<Channel>() {
                                @Override
                                protected void initChannel(Channel channel) {
                                    channel.pipeline().addLast(new Handler());
                                }
                            });
                    if (Boolean.getBoolean("example.own")) {
                        bootstrap.childOption(
                                ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT);
                    }
                    Channel server =
                            bootstrap.bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
                    int port = ((InetSocketAddress) server.localAddress()).getPort();
                    for (int bytes : new int[] {1, 1000, 3_000_000}) {
                        byte[] sent = new byte[bytes];
                        new Random(bytes).nextBytes(sent);
                        byte[] got = new byte[bytes];
                        try (Socket socket =
                                new Socket(InetAddress.getLoopbackAddress(), port)) {
                            Thread.ofPlatform().start(() -> {
                                try {
                                    socket.getOutputStream().write(sent);
                                } catch (IOException e) {
                                    e.printStackTrace();
                                }
                            });
                            new DataInputStream(socket.getInputStream()).readFully(got);
                        }
                        if (Arrays.equals(sent, got)) {
                            System.out.println("echo " + bytes);
                        }
                    }
                    loops.shutdownGracefully(0, 0, java.util.concurrent.TimeUnit.SECONDS).sync();
                    if (Boolean.getBoolean("example.whose")) {
                        System.err.println(
                                "loaded by " + Handler.seen.getClass().getClassLoader().getName());
                    }
                }
            }
            """;

    /** Buffers of a Netty in the loader that runs it. */
    static final String BUFFERS =
            """
            package example;

            import io.netty.buffer.*;

            public class Buffers implements Runnable {
                @Override
                public void run() {
                    ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
                    System.out.println(allocator.getClass().getName());
                    for (int bytes = 1; bytes < 8 << 20; bytes *= 4) {
                        ByteBuf buffer = allocator.directBuffer(bytes).writeByte(bytes);
                        if (buffer.readByte() != (byte) bytes || !buffer.release()) {
                            throw new AssertionError(bytes);
                        }
                    }
                }
            }
            """;

    /** Loaders of their own, as a Netty in a nested jar or a web application has, one by one. */
    static final String LOADERS =
            """
            package example;

            import java.io.File;
            import java.lang.management.ManagementFactory;
            import java.lang.ref.WeakReference;
            import java.net.*;
            import java.nio.file.Path;
            import java.util.*;
            import javax.management.ObjectName;

            public class Loaders {
                static WeakReference<ClassLoader> use(String path) throws Exception {
                    List<URL> urls = new ArrayList<>();
                    for (String part : path.split(File.pathSeparator)) {
                        urls.add(Path.of(part).toUri().toURL());
                    }
                    URLClassLoader loader = new URLClassLoader(
                            urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
                    Thread thread = new Thread(() -> {
                        try {
                            Class<?> type = loader.loadClass("example.Buffers");
                            ((Runnable) type.getConstructor().newInstance()).run();
                        } catch (ReflectiveOperationException e) {
                            throw new IllegalStateException(e);
                        }
                    });
                    thread.start();
                    thread.join();
                    loader.close();
                    return new WeakReference<>(loader);
                }

                public static void main(String[] arguments) throws Exception {
                    List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        loaders.add(use(arguments[0]));
                    }
                    // The beans of pools are there a second after the first was opened.
                    ObjectName pools = new ObjectName("io.polder:type=MemoryPool,*");
                    long gone = 0;
                    Set<ObjectName> beans = Set.of();
                    long end = System.nanoTime() + 120_000_000_000L;
                    while ((gone < loaders.size() || beans.isEmpty()) && System.nanoTime() < end) {
                        System.gc();
                        Thread.sleep(50);
                        gone = loaders.stream().filter(each -> each.refersTo(null)).count();
                        beans = ManagementFactory.getPlatformMBeanServer().queryNames(pools, null);
                    }
                    System.out.println(loaders.size() + " loaders, " + gone + " gone");
                    long netty = beans.stream()
                            .filter(bean -> bean.toString().contains("netty")).count();
                    System.out.println(netty + " pool of Netty's buffers");
                }
            }
            """;

    private NettyPrograms() {}
}
