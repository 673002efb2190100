package io.polder.lab.experiments.replay;

/**
 * What a line of a log says about an arena of HotSpot's metaspace.
 *
 * @param kind what happened
 * @param address names the arena while it lives; another one may have it later
 * @param words how much was requested, in words of {@value #WORD_BYTES} bytes; else 0
 * @param nanos uptime of the JVM
 */
record ArenaEvent(Kind kind, long address, long words, long nanos) {
    /** A word of HotSpot on 64 bits. */
    static final int WORD_BYTES = 8;

    /** What can happen to an arena. */
    enum Kind {
        BORN,
        REQUESTED,
        DIES
    }

    /** How much was requested. */
    long bytes() {
        return words * WORD_BYTES;
    }

    /** The arena as the log names it. */
    String arena() {
        return "0x%016x".formatted(address);
    }
}
