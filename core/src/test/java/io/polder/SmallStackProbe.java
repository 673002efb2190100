package io.polder;

import io.polder.memory.StackBang;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Uses Polder for the first time in threads with stacks of a few pages more than the JVM needs. */
final class SmallStackProbe {
    private static final int THREADS = 20;
    private static final int TIMES = 10;

    private SmallStackProbe() {}

    public static void main(String[] args) throws InterruptedException {
        Random random = new Random(Long.parseLong(args[1]));
        Map<String, Integer> outcomes = new HashMap<>();
        for (int i = 0; i < THREADS; i++) {
            long stackBytes = random.nextLong(64 << 10, 164 << 10);
            Thread thread =
                    new Thread(
                            null,
                            () -> {
                                for (int time = 0; time < TIMES; time++) {
                                    outcomes.merge(outcome(args[0]), 1, Integer::sum);
                                }
                            },
                            "small",
                            stackBytes);
            thread.start();
            thread.join();
        }
        System.out.println(new TreeMap<>(outcomes));
    }

    private static String outcome(String what) {
        try {
            use(what);
            return "ok";
        } catch (Throwable thrown) {
            return thrown.toString();
        }
    }

    private static void use(String what) {
        switch (what) {
            case "confined" -> use(MemoryPool.ofConfined());
            case "shared" -> use(MemoryPool.ofShared());
            case "deferred" -> use(MemoryPool.ofSharedDeferred());
            case "pool" -> MemoryPool.builder().name("small").build().close();
            case "bang" -> {
                for (int i = 0; i < 5_000; i++) {
                    StackBang.ensure();
                }
            }
            default -> throw new AssertionError(what);
        }
    }

    private static void use(Arena arena) {
        arena.allocate(100);
        arena.close();
    }
}
