package io.polder.block;

/** What is said of an address that is refused. */
final class Misuse {
    private Misuse() {}

    /** Why no block that may be used is at an address. */
    static IllegalArgumentException refused(SpanMap map, long address) {
        return new IllegalArgumentException(
                "an address must be that of a block of this pool which is used: address=0x"
                        + Long.toHexString(address)
                        + ", "
                        + state(map.find(address), address));
    }

    private static String state(Span span, long address) {
        if (span == Span.NONE) {
            return "no block is near";
        }
        if (span.carvedBytes == 0 || span.isBlock(address)) {
            return "what is there is free: blockBytes=" + span.blockBytes;
        }
        long offset = address - span.base;
        return offset >= span.carvedBytes && !span.isLarge()
                ? "it was never allocated: blockBytes=" + span.blockBytes
                : "it is inside of a block: block=0x"
                        + Long.toHexString(address - offset % span.blockBytes)
                        + ", blockBytes="
                        + span.blockBytes;
    }
}
