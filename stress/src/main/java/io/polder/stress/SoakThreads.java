package io.polder.stress;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** The platform threads of a soak, each with random numbers of its own. */
final class SoakThreads {
    private SoakThreads() {}

    /** Starts threads; an exception that leaves one ends the JVM. */
    static List<Thread> start(int count, SplittableRandom random, Consumer<SplittableRandom> work) {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < count; t++) {
            SplittableRandom own = random.split();
            threads.add(
                    Thread.ofPlatform()
                            .uncaughtExceptionHandler(Failures::end)
                            .start(() -> work.accept(own)));
        }
        return threads;
    }
}
