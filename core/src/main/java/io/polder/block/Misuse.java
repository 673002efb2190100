package io.polder.block;

import io.polder.memory.Message;

import java.util.function.LongFunction;

/**
 * What is said of an address that is refused.
 *
 * @param map where the blocks of the pool are
 * @param poolName how messages call the pool
 * @param around says what else there is at an address
 */
record Misuse(SpanMap map, String poolName, LongFunction<String> around) {
    /** Why no block that may be used is at an address. */
    IllegalArgumentException refused(long address) {
        return new IllegalArgumentException(
                Message.of(
                        "an address must be that of a block of this pool which is used:"
                                + " address=0x%, pool=%, %",
                        address, poolName, state(map.covering(address), address)));
    }

    private String state(Span span, long address) {
        if (span == Span.NONE) {
            String other = around.apply(address);
            return other.isEmpty() ? "no block is near" : "the memory there belongs to " + other;
        }
        if (span.carvedBytes == 0 || span.isBlock(address)) {
            return "what is there is free: blockBytes=" + span.blockBytes;
        }
        long offset = address - span.base;
        return offset >= span.carvedBytes && !span.isLarge()
                ? "it was never allocated: blockBytes=" + span.blockBytes
                : Message.of(
                        "it is inside of a block: block=0x%, blockBytes=%",
                        address - offset % span.blockBytes, span.blockBytes);
    }
}
