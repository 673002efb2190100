package io.polder.block;

/** A batch of a thread that lives, with two blocks, in memory that an arbiter gives back. */
public final class HeldBatch {
    private final ThreadHeap heap = Biased.heap();
    private final FreedList freed = new FreedList();
    private final Lost lost = new Lost();

    /** Biased to its thread. */
    public HeldBatch() {
        boolean _ = heap.batch.add(freed.span, freed.block(0), lost);
        boolean _ = heap.batch.add(freed.span, freed.block(1), lost);
    }

    /** Frees a third one as its thread does; returns 1 if it did. */
    public int free() {
        int added = 0;
        if (heap.enter(Biased.OWNER)) {
            boolean _ = heap.batch.add(freed.span, freed.block(2), lost);
            added = 1;
        }
        heap.leave();
        return added;
    }

    /** Hands over as others do. */
    public void revokeAndHandOver() {
        synchronized (heap) {
            boolean _ = heap.revokeLocked() && heap.batch.handOver(lost);
        }
    }

    /** Hands over as if nobody was inside. */
    public void handOverAtOnce() {
        boolean _ = heap.batch.handOver(lost);
    }

    /** Hands over what is left; returns how many blocks the span has got. */
    public int end() {
        boolean _ = heap.batch.handOver(lost);
        return freed.end();
    }
}
