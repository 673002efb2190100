package io.polder.heap.space.canary;

import io.polder.heap.space.MovableInSession;
import io.polder.heap.space.MovableInSession.Claim;
import io.polder.heap.space.SessionUpdateTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A session that ends its claim after its first use, and updates then. */
@JCStressTest
@JCStressMeta(SessionUpdateTest.class)
@State
public class ShortUpdateCanary {
    private static final int STABLE = 0;

    private final MovableInSession object = new MovableInSession(STABLE);

    /** Updates. */
    @Actor
    public void updater() {
        object.meet();
        object.update(Claim.FIRST_USE);
    }

    /** Begins a cycle. */
    @Actor
    public void cycle() {
        object.meet();
        object.evacuate();
    }

    /** Reads. */
    @Arbiter
    public void read(JJ_Result r) {
        r.r1 = object.first();
        r.r2 = object.last();
        object.giveBack();
    }
}
