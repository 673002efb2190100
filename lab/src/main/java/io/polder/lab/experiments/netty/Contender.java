package io.polder.lab.experiments.netty;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.polder.netty.PolderByteBufAllocator;
import io.polder.tools.html.Term;

import java.util.List;
import java.util.Locale;

/** Whose buffers they are. */
enum Contender {
    POLDER,
    /** Netty's default since 4.2. */
    ADAPTIVE,
    /** Netty's default before. */
    POOLED,
    /** Each buffer is memory of its own, which is given back when it is released. */
    UNPOOLED;

    /** Those that a server is run with. */
    static final List<Contender> OF_SERVERS = List.of(POLDER, ADAPTIVE, POOLED);

    /** Those that Polder is compared with in a server. */
    static final List<Contender> OTHERS_OF_SERVERS = List.of(ADAPTIVE, POOLED);

    /** Those that Polder is compared with by buffers alone. */
    static final List<Contender> OTHERS = List.of(ADAPTIVE, POOLED, UNPOOLED);

    /** Name in metrics, tables and files. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What it is, under a name for people. */
    Term term() {
        return switch (this) {
            case POLDER ->
                    new Term("Polder", "PolderByteBufAllocator: buffers in Polder’s blocks.");
            case ADAPTIVE ->
                    new Term(id(), "AdaptiveByteBufAllocator, Netty’s default since version 4.2.");
            case POOLED -> new Term(id(), "PooledByteBufAllocator, Netty’s default before.");
            case UNPOOLED ->
                    new Term(
                            id(),
                            "UnpooledByteBufAllocator: each buffer is memory of its own, which is"
                                    + " given back when it is released.");
        };
    }

    /** Its allocator, as it is without any setting. */
    ByteBufAllocator open() {
        return switch (this) {
            case POLDER -> PolderByteBufAllocator.DEFAULT;
            case ADAPTIVE -> new AdaptiveByteBufAllocator(true);
            case POOLED -> new PooledByteBufAllocator(true);
            case UNPOOLED -> UnpooledByteBufAllocator.DEFAULT;
        };
    }
}
