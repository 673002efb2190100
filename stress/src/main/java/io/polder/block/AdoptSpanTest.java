package io.polder.block;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.arena.Blocks;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.lang.ref.WeakReference;

/**
 * A thread frees a block of a span, which another one takes over from a thread that has ended. The
 * figures: whether it was taken over, whether it is announced, to its owner (1) or to the other one
 * (2), and how many blocks are used.
 */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "It was freed first.")
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "It was freed later: the new owner is told.")
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "Who freed it had not told the owner yet.")
@Outcome(expect = FORBIDDEN, desc = "It is lost, or the wrong owner is told.")
@State
public class AdoptSpanTest {
    private static final WeakReference<Thread> ENDED = new WeakReference<>(null);

    private final ThreadHeap ended = ThreadHeap.of(Spaces.SPACE);
    private final ThreadHeap next = ThreadHeap.of(Spaces.SPACE);
    private final Span span = Span.of(ended);
    private final long memory = Blocks.take();

    /** One block is used, and there is room for another one. */
    public AdoptSpanTest() {
        span.chunk = memory;
        span.base = memory;
        span.blockBytes = SizeClass.bytes(0);
        span.bytes = 2 * span.blockBytes;
        span.carvedBytes = span.blockBytes;
        span.used = 1;
        span.attention = 0;
        span.listed = true;
        ended.current[0] = span;
        synchronized (ended) {
            ended.belongToLocked(Long.MAX_VALUE, ENDED);
        }
    }

    /** Frees. */
    @Actor
    public void other() {
        if (span.addFreed(memory)) {
            boolean _ = span.owner.announced.add(span);
        }
    }

    /** Takes over. */
    @Actor
    public void next(III_Result r) {
        synchronized (ended) {
            r.r1 = next.adoptSpanLocked(ended, 0) ? 1 : 0;
        }
    }

    /** Looks. */
    @Arbiter
    public void look(III_Result r) {
        ThreadHeap other = span.owner == next ? ended : next;
        r.r2 = span.owner.announced.first() == null ? 0 : 1;
        r.r2 += other.announced.first() == null ? 0 : 2;
        r.r3 = span.unfreed();
        Blocks.give(memory);
    }
}
