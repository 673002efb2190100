package io.polder.lab.experiments.blocks;

import java.util.List;

/**
 * One block that grows by a quarter, again and again, until it is as large as it may be; then it is
 * freed, and the next one begins. An operation is a growth by a quarter.
 */
final class Growing implements Work {
    private static final int FIRST_BYTES = 64;
    private static final int PART = 4;

    private final BlockSource source;
    private final long bytesMax;
    private final int thread;

    Growing(BlockSource source, long bytesMax, int thread) {
        this.source = source;
        this.bytesMax = bytesMax;
        this.thread = thread;
    }

    @Override
    public long pass() {
        long bytes = FIRST_BYTES;
        long address = source.allocate(bytes);
        Marks.write(address, bytes, thread);
        long grown = 0;
        while (bytes + bytes / PART <= bytesMax) {
            Marks.check(address, bytes, thread);
            long before = bytes;
            bytes += bytes / PART;
            address = source.reallocate(address, bytes);
            Marks.set(address, Marks.mark(address, thread));
            Marks.writeFrom(address, before, bytes, thread);
            grown++;
        }
        Marks.check(address, bytes, thread);
        source.free(address);
        return grown;
    }

    @Override
    public List<String> loops() {
        return List.of(); // most of it is copying
    }

    @Override
    public void end() {
        // Nothing is left.
    }
}
