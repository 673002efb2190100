package io.polder.lab.experiments.fragmentation;

import java.util.ArrayList;
import java.util.List;

/**
 * A class loader's share of the class space, as it grew in JDK 8 to 15: by up to {@value
 * #SMALL_CHUNKS_MAX} small chunks, then by medium ones. A block that is larger than the chunk whose
 * turn it is gets the next kind, or a humongous one.
 *
 * <p>Blocks are cut from the front of the newest chunk. What remains of the ones before is of no
 * use until the owner dies; HotSpot would use it for smaller blocks, of which there are none here.
 * Not thread-safe.
 */
final class ModelOwner implements Owner {
    /** How many small chunks an owner gets before it counts as a large one. */
    static final int SMALL_CHUNKS_MAX = 4;

    /** Blocks are a multiple of this. */
    private static final long WORD_BYTES = 8;

    private final ChunkSpace space;
    private final List<SizedChunk> chunks = new ArrayList<>();
    private int smallLeft = SMALL_CHUNKS_MAX;
    private long next;
    private long end;

    ModelOwner(ChunkSpace space) {
        this.space = space;
    }

    @Override
    public long allocate(long bytes) {
        long rounded = ChunkKind.roundUp(bytes, WORD_BYTES);
        if (rounded > end - next) {
            SizedChunk chunk = space.take(kind(rounded), rounded);
            if (chunk == null) {
                return NO_ROOM;
            }
            chunks.add(chunk);
            count(chunk.kind());
            next = chunk.start();
            end = chunk.end();
        }
        long address = next;
        next += rounded;
        return address;
    }

    private ChunkKind kind(long bytes) {
        if (bytes > ChunkKind.MEDIUM.bytes(0)) {
            return ChunkKind.HUMONGOUS;
        }
        boolean large = smallLeft == 0 || bytes > ChunkKind.SMALL.bytes(0);
        return large ? ChunkKind.MEDIUM : ChunkKind.SMALL;
    }

    private void count(ChunkKind kind) {
        switch (kind) {
            case SMALL -> smallLeft--;
            case MEDIUM -> smallLeft = 0;
            case SPECIALIZED, HUMONGOUS -> {}
        }
    }

    @Override
    public void close() {
        chunks.forEach(space::give);
        chunks.clear();
        smallLeft = SMALL_CHUNKS_MAX;
        next = 0;
        end = 0;
    }
}
