package io.polder.lab.experiments.blocks;

/** A block of one size is allocated and freed, over and over. An operation is both. */
final class Single implements Work {
    private final BlockSource source;
    private final long bytes;

    Single(BlockSource source, long bytes) {
        this.source = source;
        this.bytes = bytes;
    }

    @Override
    public long pass() {
        for (int i = 0; i < PASS; i++) {
            long address = source.allocate(bytes);
            Marks.write(address, bytes, i);
            Marks.check(address, bytes, i);
            source.free(address);
        }
        return PASS;
    }

    @Override
    public void end() {
        // Nothing is left.
    }
}
