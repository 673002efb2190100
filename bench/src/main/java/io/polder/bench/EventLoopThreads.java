package io.polder.bench;

import io.netty.util.concurrent.DefaultThreadFactory;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads as Netty's event loops have them: its allocators are faster there. JMH makes it. */
public final class EventLoopThreads extends ThreadPoolExecutor {
    /** What JMH runs with to have them. */
    static final String EXECUTOR = "-Djmh.executor=CUSTOM";

    /** And this. */
    static final String CLASS = "-Djmh.executor.class=io.polder.bench.EventLoopThreads";

    /** So many, named so. */
    public EventLoopThreads(int threads, String prefix) {
        super(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory(prefix, true));
    }
}
