package io.polder.cache;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/** A hash of the bytes of keys. The one of {@link #seeded} cannot be foreseen by who makes keys. */
@FunctionalInterface
interface Hash {
    /** Where seeds come from. */
    String RANDOM_FILE = "/dev/urandom";

    long of(byte[] bytes, int length);

    /** A hash whose 64 bits all depend on all bytes, and on a seed. */
    static Hash seeded(long seed) {
        return (bytes, length) -> Folding.hash(bytes, length, seed);
    }

    /**
     * A seed that nobody can foresee. It comes from the file that the JDK reads such numbers from
     * as well, since the first {@link SecureRandom} of a program takes some 20 ms; from that one if
     * there is no such file, or it ends.
     */
    static long seed(String file) {
        try (InputStream random = new FileInputStream(file)) {
            return ByteBuffer.wrap(random.readNBytes(Long.BYTES)).getLong();
        } catch (IOException | BufferUnderflowException none) {
            return new SecureRandom().nextLong();
        }
    }

    /** Folds products of 128 bits. */
    final class Folding {
        private static final VarHandle LONGS =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

        /** Odd, with as many ones as zeros and no pattern: digits of the golden ratio, and of e. */
        private static final long FIRST = 0x9E37_79B9_7F4A_7C15L;

        private static final long SECOND = 0xADF8_5458_A2BB_4A9BL;

        private Folding() {}

        static long hash(byte[] bytes, int length, long seed) {
            long hash = seed ^ length * SECOND;
            int at = 0;
            for (; at + Long.BYTES <= length; at += Long.BYTES) {
                hash = fold(hash ^ (long) LONGS.get(bytes, at), FIRST);
            }
            if (at < length) {
                long rest = 0;
                for (; at < length; at++) {
                    rest = (rest << Byte.SIZE) | (bytes[at] & 0xFF);
                }
                hash = fold(hash ^ rest, SECOND);
            }
            return fold(hash ^ SECOND, FIRST);
        }

        private static long fold(long a, long b) {
            return (a * b) ^ Math.unsignedMultiplyHigh(a, b);
        }
    }
}
