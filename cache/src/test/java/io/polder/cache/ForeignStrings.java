package io.polder.cache;

import java.lang.foreign.MemorySegment;

/** A codec of a program: strings, as the cache's own codec writes and reads them. */
class ForeignStrings implements Codec<String> {
    @Override
    public long size(String value) {
        return Codec.strings().size(value);
    }

    @Override
    public void write(String value, MemorySegment to) {
        Codec.strings().write(value, to);
    }

    @Override
    public String read(MemorySegment from) {
        return Codec.strings().read(from);
    }
}
