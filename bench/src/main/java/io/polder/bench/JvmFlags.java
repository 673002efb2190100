package io.polder.bench;

/**
 * Flags every benchmark JVM runs with, so that no contender is slowed down or silenced by a policy
 * of the JVM: foreign functions may be called from the class path, and LWJGL and Netty may use
 * {@code sun.misc.Unsafe} without a warning.
 */
public final class JvmFlags {
    /** Polder, the calloc arena and LWJGL call native code. */
    public static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    /** LWJGL and Netty may still read and write memory through {@code Unsafe}. */
    public static final String UNSAFE_ACCESS = "--sun-misc-unsafe-memory-access=allow";

    /** JMH runs the measured loop in a virtual thread instead of a platform thread. */
    public static final String VIRTUAL_THREADS = "-Djmh.executor=VIRTUAL";

    private JvmFlags() {}
}
