package io.polder.lab.experiments.elasticity;

import io.polder.memory.Zeroing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * What is written into blocks: one byte over and over, chosen by owner and address, so that a block
 * of another owner that overlaps shows.
 *
 * <p>Every block is written. Of a sample of the owners it is remembered what they have, and {@link
 * #verify} reads it again; to remember all would cost more memory than the contenders do.
 *
 * <p>Each owner is used by one thread; {@link #verify} runs while none is at work.
 */
final class Paint {
    /** One owner of so many is remembered. */
    static final int SAMPLED = 64;

    private static final MemorySegment ALL = Zeroing.ADDRESS_SPACE;

    private final Sampled[] sampled;

    /** Creates paint for owners with numbers from zero to before {@code owners}. */
    Paint(int owners) {
        sampled = new Sampled[Math.ceilDiv(owners, SAMPLED)];
        Arrays.setAll(sampled, i -> new Sampled(i * SAMPLED));
    }

    /** Writes a block. */
    void write(int owner, long address, long bytes) {
        if (owner % SAMPLED == 0) {
            sampled[owner / SAMPLED].add(address, bytes);
        }
        ALL.asSlice(address, bytes).fill(colour(owner, address));
    }

    /** The blocks of an owner are gone. */
    void forget(int owner) {
        if (owner % SAMPLED == 0) {
            sampled[owner / SAMPLED].count = 0;
        }
    }

    /**
     * Reads what the sampled owners have.
     *
     * @return bytes read
     * @throws AssertionError if a byte is not what was written
     */
    long verify() {
        long bytes = 0;
        for (Sampled each : sampled) {
            bytes += each.verify();
        }
        return bytes;
    }

    private static byte colour(int owner, long address) {
        return (byte) (31L * owner + 7 * (address >>> 3) + 1);
    }

    /** Blocks of one owner: address and size in turn. */
    private static final class Sampled {
        private final int owner;
        private long[] blocks = new long[64];
        private int count;

        Sampled(int owner) {
            this.owner = owner;
        }

        void add(long address, long bytes) {
            if (count + 2 > blocks.length) {
                blocks = Arrays.copyOf(blocks, 2 * blocks.length);
            }
            blocks[count] = address;
            blocks[count + 1] = bytes;
            count += 2;
        }

        long verify() {
            long read = 0;
            for (int i = 0; i < count; i += 2) {
                byte expected = colour(owner, blocks[i]);
                for (long at = 0; at < blocks[i + 1]; at++) {
                    byte found = ALL.get(ValueLayout.JAVA_BYTE, blocks[i] + at);
                    if (found != expected) {
                        throw new AssertionError(
                                ("a block keeps what was written: owner=%d, address=%#x,"
                                                + " offset=%d, written=%d, found=%d")
                                        .formatted(owner, blocks[i], at, expected, found));
                    }
                }
                read += blocks[i + 1];
            }
            return read;
        }
    }
}
