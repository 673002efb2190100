package io.polder.lab.experiments.elasticity;

/**
 * The class loaders of a workload: get memory for classes, write all of it, and give it back.
 *
 * <p>Each thread has its own loaders, and its own count of what they hold. The counts are read when
 * no thread is at work.
 */
final class Loaders {
    /** Counts of two threads do not share a cache line, nor the next one. */
    private static final int STRIDE = 16;

    private final ClassCatalogue catalogue;
    private final OwnedMemory memory;
    private final Paint paint;
    private final long[] bytesOf;
    private final long[] liveBytes;

    /**
     * Creates loaders that hold nothing.
     *
     * @param catalogue what they load
     * @param paint what they write
     */
    Loaders(Workload workload, ClassCatalogue catalogue, OwnedMemory memory, Paint paint) {
        this.catalogue = catalogue;
        this.memory = memory;
        this.paint = paint;
        this.bytesOf = new long[workload.loadersEver()];
        this.liveBytes = new long[STRIDE * workload.threads()];
    }

    /** A loader loads its classes at positions from {@code from} to before {@code to}. */
    void load(int thread, int loader, int from, int to) {
        if (from == 0) {
            memory.open(loader);
        }
        long bytes = 0;
        for (int position = from; position < to; position++) {
            for (int size : catalogue.blocks(loader, position)) {
                long address = memory.allocate(loader, size);
                paint.write(loader, address, size);
                bytes += size;
            }
        }
        bytesOf[loader] += bytes;
        liveBytes[thread * STRIDE] += bytes;
    }

    /** A loader dies. */
    void unload(int thread, int loader) {
        memory.close(loader);
        paint.forget(loader);
        liveBytes[thread * STRIDE] -= bytesOf[loader];
        bytesOf[loader] = 0;
    }

    /** Bytes that living loaders asked for. */
    long usedBytes() {
        long sum = 0;
        for (int i = 0; i < liveBytes.length; i += STRIDE) {
            sum += liveBytes[i];
        }
        return sum;
    }
}
