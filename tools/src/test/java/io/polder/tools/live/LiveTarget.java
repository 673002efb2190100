package io.polder.tools.live;

import io.polder.LeakDetection;
import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.timer.Timer;

/** A program to be looked at: opens pools, says so, and waits for the end of its input. */
final class LiveTarget {
    private LiveTarget() {}

    /**
     * Arguments: names of pools; {@code count:N} for N pools; {@code leak:} for arenas of the first
     * one that are forgotten with each line of the input; {@code gone:} and a name, alone, for two
     * pools that are closed with blocks left, beside the common one; nothing for no Polder at all.
     * An MBean that is not Polder's has a name like those of pools.
     */
    public static void main(String[] args) throws IOException, JMException {
        var _ =
                ManagementFactory.getPlatformMBeanServer()
                        .registerMBean(
                                new Timer(), new ObjectName("io.polder:type=MemoryPool,name=none"));
        List<Object> kept = new ArrayList<>();
        boolean gone = args.length > 0 && args[0].startsWith("gone:");
        if (args.length > 0) { // otherwise it uses no Polder
            kept.add(MemoryPool.common());
        }
        @Nullable MemoryPool leaking = null;
        for (String arg : args) {
            if (gone) {
                for (int blocks = 1; blocks <= 3; blocks += 2) {
                    leave(arg.substring(5), blocks);
                }
            } else if (arg.startsWith("leak:")) {
                leaking = (MemoryPool) kept.get(1);
            } else if (arg.startsWith("count:")) {
                for (int i = 0; i < Integer.parseInt(arg.substring(6)); i++) {
                    kept.add(MemoryPool.builder().name("pool " + i).build());
                }
            } else {
                MemoryPool pool = MemoryPool.builder().name(arg.translateEscapes()).build();
                Arena arena = pool.openShared();
                arena.allocate(100_000);
                arena.allocate(5 << 20);
                Runnable _ = pool.addShrinker(_ -> 0, () -> "cache of " + arg);
                kept.add(pool);
                kept.add(arena);
            }
        }
        System.out.println("ready " + kept.size());
        while (System.in.read() >= 0) { // until the process that started this has seen enough
            for (int i = 0; i < 7 && leaking != null; i++) {
                leak(leaking);
            }
            System.out.println("gone");
        }
    }

    private static void leave(String name, int blocks) {
        try (MemoryPool pool = MemoryPool.builder().name(name).leaks(LeakDetection.ALL).build()) {
            for (int i = 0; i < blocks; i++) {
                long _ = pool.blocks().allocateAddress(100);
            }
        }
    }

    private static void leak(MemoryPool pool) {
        pool.openShared().allocate(1000);
    }
}
