package io.polder.lab.experiments.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.polder.lab.harness.Loop;
import io.polder.tools.html.Term;

import java.util.Locale;
import java.util.SplittableRandom;

/** How buffers are allocated and released. */
enum BufferPattern {
    ALLOC256(256),
    ALLOC4K(4 << 10),
    ALLOC64K(64 << 10),
    /** Of random sizes, of which some live at a time; the one that was there longest goes. */
    MIX(0);

    /** For a JVM that runs this, after what keeps it from printing such flags. */
    static final String NOT_INLINED =
            "-XX:CompileCommand=dontinline," + BufferPattern.class.getName() + "::handOver";

    private static final int PER_PASS = 64;

    /** So many buffers of random sizes live at a time, from 64 B up to 64 KiB. */
    private static final int LIVE = 256;

    private static final int SMALLEST = 64;
    private static final double RANGE = Math.log((64 << 10) / (double) SMALLEST);
    private static final int SIZES = 4096;

    private final int bytes;

    BufferPattern(int bytes) {
        this.bytes = bytes;
    }

    /** Name in metrics and tables. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What a thread does. */
    Loop loop(ByteBufAllocator allocator, long seed) {
        return switch (this) {
            case MIX -> new Mix(allocator, seed);
            default -> () -> one(allocator);
        };
    }

    private int one(ByteBufAllocator allocator) {
        int sum = 0;
        for (int i = 0; i < PER_PASS; i++) {
            ByteBuf buffer = allocator.directBuffer(bytes);
            handOver(buffer);
            buffer.setByte(0, i);
            sum += buffer.getByte(0);
            buffer.release();
        }
        if (sum != PER_PASS * (PER_PASS - 1) / 2) {
            throw new AssertionError("a byte must be read as it was written: sum=" + sum);
        }
        return PER_PASS;
    }

    /**
     * Somebody else gets the buffer, as a handler does. It is never inlined, see {@link
     * #NOT_INLINED}: where no one else sees a buffer the JIT compiler leaves out its object, which
     * takes a quarter of the time.
     */
    @SuppressWarnings("unused") // what happens to the buffer does not matter
    private static void handOver(ByteBuf buffer) {}

    /** See {@link #MIX}. */
    private static final class Mix implements Loop {
        private final ByteBufAllocator allocator;
        private final ByteBuf[] live = new ByteBuf[LIVE];
        private final int[] sizes = new int[SIZES];
        private int turn;

        Mix(ByteBufAllocator allocator, long seed) {
            this.allocator = allocator;
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < SIZES; i++) {
                sizes[i] = (int) (SMALLEST * Math.exp(random.nextDouble() * RANGE));
            }
            for (int i = 0; i < LIVE; i++) {
                live[i] = allocator.directBuffer(sizes[i]).setByte(0, 0);
            }
        }

        @Override
        public int pass() {
            for (int i = 0; i < PER_PASS; i++) {
                int place = turn & (LIVE - 1);
                live[place].release();
                ByteBuf buffer = allocator.directBuffer(sizes[turn & (SIZES - 1)]);
                buffer.setByte(0, turn);
                live[place] = buffer;
                turn++;
            }
            return PER_PASS;
        }
    }

    /** Whether it is of buffers of one size, up to 4 KiB. */
    boolean isSmall() {
        return this == ALLOC256 || this == ALLOC4K;
    }

    /** Name of the figure of a contender: nanoseconds of an allocation and its release. */
    String nanos(Contender contender, int threads) {
        return contender.id() + "." + id() + ".t" + threads;
    }

    /** The beginning of the metrics' names. */
    String metric(int threads) {
        return "netty." + id() + ".t" + threads;
    }

    /** It with so many threads, for people, and what they do. */
    Term term(int threads) {
        return new Term(
                title() + ", " + NettyGoals.threads(threads),
                (this == MIX
                                ? "Buffers of 64 B to 64 KiB, each doubling as frequent, 256 of"
                                        + " them at a time; the oldest goes"
                                : "A direct buffer of that size is allocated, written, read and"
                                        + " released")
                        + (threads == 1
                                ? ", by one thread."
                                : ", by " + threads + " threads that share nothing."));
    }

    /** For people. */
    String title() {
        return this == MIX
                ? "64 B to 64 KiB, 256 at a time"
                : bytes < 1 << 10
                        ? bytes + " B"
                        : String.format(Locale.ROOT, "%d KiB", bytes >> 10);
    }
}
