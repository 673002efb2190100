package io.polder;

import io.polder.leak.Collected;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import javax.management.openmbean.OpenDataException;

/** Forgets arenas of the common pool, and waits until they are found. */
final class LeakProbe {
    private LeakProbe() {}

    /** Argument: {@code log}, {@code end}, {@code last} or {@code late}. */
    public static void main(String[] args) throws OpenDataException {
        if (args[0].equals("late")) {
            watchLate();
            return;
        }
        if (!args[0].equals("log")) {
            neverTellInTheBackground();
        }
        if (args[0].equals("last")) {
            forgetLast();
            return;
        }
        AtomicInteger logged = new AtomicInteger();
        System.setErr(
                new PrintStream(new Counting(System.err, logged), true, StandardCharsets.UTF_8));
        for (int i = 0; i < 3; i++) {
            forget();
        }
        Collected.until(
                "all leaks were found",
                () ->
                        MemoryPool.common().stats().leaks().leaked() == 3
                                && (args[0].equals("end") || logged.get() > 0));
        PoolStatistics.Leaks leaks = MemoryPool.common().stats().leaks();
        System.out.println("leaked=" + leaks.leaked() + " bytes=" + leaks.leakedBytes());
    }

    /**
     * What the background has told before the end uses the logger, and the JDK closes that while
     * the end tells the rest.
     */
    private static void neverTellInTheBackground() {
        PoolBackground.TELLING.execute(() -> Await.open(new CountDownLatch(1)));
    }

    /** Counts what a logger writes, in whatever pieces. */
    private static final class Counting extends FilterOutputStream {
        private final AtomicInteger written;

        Counting(OutputStream out, AtomicInteger written) {
            super(out);
            this.written = written;
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            out.write(bytes, from, count);
            int _ = written.incrementAndGet();
        }
    }

    /** Ends while references, before and after that of the arena, wait for their queues. */
    private static void forgetLast() {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        List<Reference<Object>> many = new ArrayList<>();
        try {
            forgetObjects(many, queue);
            forget();
            forgetObjects(many, queue);
            System.gc();
            System.out.println("ends");
        } finally {
            Reference.reachabilityFence(many);
        }
    }

    private static void forgetObjects(List<Reference<Object>> many, ReferenceQueue<Object> queue) {
        for (int i = 0; i < 500_000; i++) {
            many.add(new PhantomReference<>(new Object(), queue));
        }
    }

    private static void watchLate() throws OpenDataException {
        run(200_000); // until it is compiled
        PoolBean bean = new PoolBean(OpenPools.INSTANCE.reachable().getFirst());
        bean.setLeakDetection(LeakDetection.ALL);
        for (int i = 0; i < 3; i++) {
            forget();
        }
        run(1000);
        Collected.until(
                "all leaks were found", () -> MemoryPool.common().stats().leaks().leaked() == 3);
        bean.setLeakDetection(LeakDetection.OFF);
        forget();
        run(1000);
        boolean none = MemoryPool.common().stats().leaks().watched() == 0;
        System.out.println(none ? "found, and no more after it was off" : "watched after all");
    }

    private static void run(int count) {
        for (int i = 0; i < count; i++) {
            try (Arena arena = MemoryPool.ofConfined()) {
                arena.allocate(10);
            }
        }
    }

    private static void forget() {
        MemoryPool.ofConfined().allocate(10);
    }
}
