package io.polder.page.space.canary;

import io.polder.page.space.LineWakeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** A thread that looks for room, and joins the line if there is none. */
@JCStressTest
@JCStressMeta(LineWakeTest.class)
@State
public class LookThenJoinCanary {
    private final Queue<AtomicBoolean> line = new ConcurrentLinkedQueue<>();
    private volatile boolean room;
    private volatile boolean given;

    /** A line without anybody in it. */
    public LookThenJoinCanary() {}

    /** Waits. */
    @Actor
    public void await(Z_Result r) {
        boolean found = room;
        AtomicBoolean woken = new AtomicBoolean();
        line.add(woken);
        boolean over = false;
        while (!found && !over) { // where it would park, perhaps for ever
            over = given;
            found = woken.get();
        }
        r.r1 = found;
    }

    /** Makes room. */
    @Actor
    public void give() {
        room = true;
        AtomicBoolean first = line.peek();
        if (first != null) {
            first.set(true);
        }
        given = true;
    }
}
