import org.jspecify.annotations.NullMarked;

/**
 * Netty's buffers in Polder's memory: {@link io.polder.netty.PolderByteBufAllocator}.
 *
 * <p>Run with {@code --enable-native-access=io.polder,io.polder.netty}, or {@code ALL-UNNAMED} on
 * the class path.
 */
@NullMarked
module io.polder.netty {
    requires static org.jspecify;
    requires transitive io.polder;
    requires transitive io.netty.buffer;
    requires io.netty.common;

    exports io.polder.netty;
}
