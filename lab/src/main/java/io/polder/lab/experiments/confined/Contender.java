package io.polder.lab.experiments.confined;

import java.util.Locale;

/** Whose memory a workload uses. */
enum Contender {
    /** {@code MemoryPool.ofConfined()}. */
    POLDER,
    /** {@code Arena.ofConfined()}. */
    JDK,
    /** LWJGL's {@code MemoryStack}, zeroed, which checks neither bounds nor lifetime. */
    LWJGL,
    /** {@code calloc} and {@code free}, which check nothing either, by the cheapest downcall. */
    MALLOC,
    /** Memory that is there anyway: what arenas would be that cost nothing. */
    NONE;

    /** Name of this contender's benchmark method, or its beginning. */
    String methodPrefix() {
        return name().toLowerCase(Locale.ROOT);
    }
}
