package io.polder.arena;

import io.polder.Crew;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** Threads that do the same at once, each with random numbers of its own. */
final class SeededThreads {
    /** What a thread does. */
    interface Use {
        void run(SplittableRandom random) throws Exception;
    }

    private SeededThreads() {}

    /** Runs so many, and fails if one of them does. */
    static void run(int count, long seed, Use use) throws Exception {
        try (ExecutorService threads = Crew.of(count)) {
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                SplittableRandom random = new SplittableRandom(seed + i);
                futures.add(
                        threads.submit(
                                () -> {
                                    use.run(random);
                                    return null;
                                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        }
    }
}
