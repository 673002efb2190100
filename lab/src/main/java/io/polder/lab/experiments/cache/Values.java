package io.polder.lab.experiments.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Values whose content says which key they belong to. */
final class Values {
    private static final VarHandle KEY =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] noise;

    /** Of at most so many bytes. */
    Values(int bytesMax) {
        noise = new byte[bytesMax];
        new SplittableRandom(1).nextBytes(noise);
    }

    /** A number that looks drawn at random, for a key. */
    static long mix(long seed, long key) {
        long mixed = (key + seed * 0x9E37_79B9_7F4A_7C15L) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ (mixed >>> 29)) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ (mixed >>> 32);
    }

    /** A new value; at least 8 bytes. */
    byte[] of(long key, int bytes) {
        byte[] value = Arrays.copyOf(noise, bytes);
        KEY.set(value, 0, key);
        return value;
    }

    /**
     * Checks a value that was read.
     *
     * @throws AssertionError if it is another one's, or damaged
     */
    void check(long key, int bytes, byte[] value) {
        if (value.length != bytes
                || (long) KEY.get(value, 0) != key
                || !Arrays.equals(value, Long.BYTES, bytes, noise, Long.BYTES, bytes)) {
            throw new AssertionError(
                    "a value is as it was put: key="
                            + key
                            + ", bytes="
                            + bytes
                            + ", read="
                            + value.length);
        }
    }

    /**
     * Checks whose value it is that was read; quick.
     *
     * @throws AssertionError if it is another one's
     */
    static void checkKey(long key, byte[] value) {
        long read = (long) KEY.get(value, 0);
        if (read != key) {
            throw new AssertionError("a value has its key: key=" + key + ", read=" + read);
        }
    }
}
