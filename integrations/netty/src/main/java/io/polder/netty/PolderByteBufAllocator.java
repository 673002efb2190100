package io.polder.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.internal.SystemPropertyUtil;
import io.polder.BlockAllocator;
import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Netty's direct buffers in Polder's blocks: any thread allocates and any thread releases, without
 * {@code sun.misc.Unsafe}, and what a burst needed goes back to the operating system.
 *
 * <pre>{@code
 * bootstrap.option(ChannelOption.ALLOCATOR, PolderByteBufAllocator.DEFAULT);
 * }</pre>
 *
 * <p>A direct buffer is one block of a {@link MemoryPool}: up to 1 MiB of one of Polder's sizes,
 * above that in pages of 2 MiB. It grows in place where the block has room. Heap buffers come from
 * the allocator that Netty would have chosen without Polder, unless another is given; {@code
 * alloc()} of such a buffer is that one. Netty's leak detection watches all of them as its own
 * level says.
 *
 * <p>Where the pool has a limit and it is reached, allocating or growing a buffer throws an {@link
 * OutOfMemoryError} that names the limit; nothing is lost, and it works again when buffers were
 * released. Releasing a buffer once too often is Netty's {@link
 * io.netty.util.IllegalReferenceCountException}.
 *
 * <p>Where native access is denied to Polder, that is logged once, and direct buffers are Netty's
 * unpooled ones.
 *
 * <p>Thread-safe; buffers are not, as Netty's are not.
 */
public final class PolderByteBufAllocator extends AbstractByteBufAllocator
        implements ByteBufAllocatorMetricProvider {
    /**
     * One for the whole process, with a pool of its own, named {@code netty}. The limit of the pool
     * is that of Netty's direct memory: {@code io.netty.maxDirectMemory} if it is set (from Netty
     * 4.1.32 on), otherwise {@code -XX:MaxDirectMemorySize}, otherwise the maximum of the Java
     * heap; but at least 4 MiB. With {@code io.netty.noPreferDirect=true} it prefers heap buffers,
     * as Netty's own do. The pool is opened when it is first used.
     */
    public static final PolderByteBufAllocator DEFAULT =
            new PolderByteBufAllocator(
                    !SystemPropertyUtil.getBoolean("io.netty.noPreferDirect", false));

    /**
     * Whether this module has native access, too. Found out with this class, and not with the first
     * buffer: near the end of a stack what finds it could never be initialised.
     */
    private static final boolean MODULE_MAY = moduleMay();

    /** Whether it was said that it has not: once, however many allocators there are. */
    private static final AtomicBoolean TOLD = new AtomicBoolean();

    /** Null where native access is denied, and for {@link #DEFAULT} until it is used. */
    private @Nullable BlockAllocator blocks;

    /** Whether it is known what {@link #blocks} are. Written after them. */
    private volatile boolean opened;

    /** Where heap buffers come from; null if Netty is asked when the first is allocated. */
    private final @Nullable ByteBufAllocator heap;

    /** Netty 4.1 without Unsafe would go for heap buffers. */
    private final boolean preferDirect;

    /** Null for {@link #DEFAULT}, which has the {@link DefaultPool}. */
    private final @Nullable MemoryPool pool;

    /** {@link #DEFAULT}. */
    private PolderByteBufAllocator(boolean preferDirect) {
        super(preferDirect);
        this.pool = null;
        this.preferDirect = preferDirect;
        this.heap = null;
    }

    /**
     * An allocator that prefers direct buffers.
     *
     * @param pool where memory comes from; it stays the caller's, who closes it
     * @throws IllegalStateException if the pool is closed and never had blocks; if it had some, the
     *     first buffer is refused
     */
    public PolderByteBufAllocator(MemoryPool pool) {
        this(pool, true);
    }

    /**
     * An allocator.
     *
     * @param pool where memory comes from; it stays the caller's, who closes it
     * @param preferDirect whether {@link #buffer()} means a direct one
     * @throws IllegalStateException if the pool is closed and never had blocks; if it had some, the
     *     first buffer is refused
     */
    public PolderByteBufAllocator(MemoryPool pool, boolean preferDirect) {
        this(pool, preferDirect, null);
    }

    /**
     * An allocator whose heap buffers come from another one.
     *
     * @param pool where memory of direct buffers comes from; it stays the caller's, who closes it
     * @param preferDirect whether {@link #buffer()} means a direct one
     * @param heap whose {@code heapBuffer} is called for heap buffers; null for what Netty would
     *     have chosen as its default
     * @throws IllegalStateException if the pool is closed and never had blocks; if it had some, the
     *     first buffer is refused
     */
    public PolderByteBufAllocator(
            MemoryPool pool, boolean preferDirect, @Nullable ByteBufAllocator heap) {
        super(preferDirect);
        this.pool = pool;
        this.preferDirect = preferDirect;
        this.heap = heap;
        this.blocks = blocksOf(pool);
        this.opened = true;
    }

    /** The blocks, which are opened if they were not; null where native access is denied. */
    private @Nullable BlockAllocator open() {
        if (!opened) { // threads may race: both find the same
            blocks = blocksOf(pool());
            opened = true;
        }
        return blocks;
    }

    private static @Nullable BlockAllocator blocksOf(MemoryPool pool) {
        try {
            BlockAllocator blocks = pool.blocks();
            if (MODULE_MAY) {
                return blocks;
            }
        } catch (UnsupportedOperationException denied) {
            // said below
        }
        tellOfDenial();
        return null;
    }

    private static boolean moduleMay() {
        try {
            return NativeBytes.MEMORY.byteSize() > 0;
        } catch (LinkageError denied) { // its initialiser threw
            return false;
        }
    }

    private static void tellOfDenial() {
        if (TOLD.compareAndSet(false, true)) {
            System.getLogger(PolderByteBufAllocator.class.getName())
                    .log(
                            Level.WARNING,
                            "direct buffers are Netty's unpooled ones, since native access is"
                                    + " denied: start with --enable-native-access=ALL-UNNAMED,"
                                    + " or with the modules io.polder,io.polder.netty");
        }
    }

    /** The blocks that buffers are in; only where there are any. */
    BlockAllocator blocks() {
        BlockAllocator its = blocks;
        if (its == null) {
            its = open();
        }
        if (its == null) {
            throw new AssertionError("buffers of Polder without its blocks");
        }
        return its;
    }

    /**
     * Frees a block all the same, since Netty releases a buffer only once, and none that was not
     * made: a free that tells of misuse has freed nothing. It tells once of each.
     */
    void freeAfter(Throwable failure, long address) {
        try {
            blocks().freeAddress(address);
        } catch (IllegalStateException misuse) {
            failure.addSuppressed(misuse);
            freeAfter(failure, address);
        }
    }

    /** The pool that direct buffers come from. */
    public MemoryPool pool() {
        MemoryPool its = pool;
        return its == null ? DefaultPool.take() : its;
    }

    @Override
    public ByteBuf buffer() {
        return preferDirect ? directBuffer() : heapBuffer();
    }

    @Override
    public ByteBuf buffer(int initialCapacity) {
        return preferDirect ? directBuffer(initialCapacity) : heapBuffer(initialCapacity);
    }

    @Override
    public ByteBuf buffer(int initialCapacity, int maxCapacity) {
        return preferDirect
                ? directBuffer(initialCapacity, maxCapacity)
                : heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public CompositeByteBuf compositeBuffer() {
        return preferDirect ? compositeDirectBuffer() : compositeHeapBuffer();
    }

    @Override
    public CompositeByteBuf compositeBuffer(int maxNumComponents) {
        return preferDirect
                ? compositeDirectBuffer(maxNumComponents)
                : compositeHeapBuffer(maxNumComponents);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return heap().heapBuffer(initialCapacity, maxCapacity);
    }

    private ByteBufAllocator heap() {
        ByteBufAllocator its = heap;
        return its == null ? NettysChoice.get() : its;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        BlockAllocator its = blocks;
        if (its == null) {
            its = open();
        }
        if (its == null) {
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
        }
        // Before the object: the JIT compiler then writes each of its fields once.
        long address = its.allocateAddress(initialCapacity);
        try {
            return toLeakAwareBuffer(
                    new PolderByteBuf(this, address, initialCapacity, maxCapacity));
        } catch (Throwable failure) {
            freeAfter(failure, address);
            throw failure;
        }
    }

    @Override
    public boolean isDirectBufferPooled() {
        return open() != null;
    }

    /**
     * What is used: of direct memory the blocks of the pool, each with its whole size; of the Java
     * heap what the allocator of heap buffers says, or 0 if it says nothing.
     */
    @Override
    public ByteBufAllocatorMetric metric() {
        return new ByteBufAllocatorMetric() {
            @Override
            public long usedHeapMemory() {
                return heap() instanceof ByteBufAllocatorMetricProvider its
                        ? its.metric().usedHeapMemory()
                        : 0;
            }

            @Override
            public long usedDirectMemory() {
                return open() == null
                        ? UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()
                        : pool().stats().blocks().usedBytes();
            }

            @Override
            public String toString() {
                return "usedHeapMemory="
                        + usedHeapMemory()
                        + ", usedDirectMemory="
                        + usedDirectMemory();
            }
        };
    }

    @Override
    public String toString() {
        return "PolderByteBufAllocator[" + (opened ? pool() : "not yet used") + "]";
    }
}
