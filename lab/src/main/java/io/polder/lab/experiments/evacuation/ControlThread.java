package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.Control;
import io.polder.lab.harness.Nanos;

import org.HdrHistogram.Histogram;

import java.lang.management.ManagementFactory;

/**
 * A thread that is always busy and waits for nobody: how long it stands still now and then is the
 * machine's doing.
 */
final class ControlThread {
    private final Histogram latencies = Nanos.histogram();
    private final Control control = new Control();
    private final Thread thread;
    private volatile boolean stopping;

    /** Starts. */
    ControlThread() {
        thread = Thread.ofPlatform().daemon().name("polder-lab-control").start(this::run);
    }

    private void run() {
        while (!stopping) {
            Nanos.record(latencies, control.nanos());
        }
    }

    /** Processor time so far. */
    long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId());
    }

    /** Ends the thread; returns how long its turns took. */
    Histogram stop() throws InterruptedException {
        stopping = true;
        thread.join();
        return latencies;
    }
}
