package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.Barrier;

import java.util.ArrayList;
import java.util.List;

/**
 * A thread for each keeper.
 *
 * <pre>{@code
 *   barrier --> each operates, at least so often, until the work ends --> barrier
 *   barrier --> each compares all its objects                         --> barrier
 * }</pre>
 */
final class KeeperThreads {
    private enum Task {
        OPERATE,
        CHECK,
        END
    }

    private final Barrier barrier;
    private final List<Thread> threads = new ArrayList<>();
    private volatile Task task = Task.OPERATE;
    private volatile boolean stopping;

    /** Starts the threads, which wait for what they are to do. */
    KeeperThreads(List<Keeper> keepers) {
        barrier = new Barrier(keepers.size() + 1);
        for (Keeper keeper : keepers) {
            threads.add(
                    Thread.ofPlatform()
                            .daemon()
                            .name("polder-lab-keeper-" + threads.size())
                            .start(() -> run(keeper)));
        }
    }

    /** All threads operate on their objects until the work of this thread is done. */
    void operateWhile(Runnable work) throws InterruptedException {
        begin(Task.OPERATE);
        work.run();
        end();
    }

    /** All threads compare all their objects with what they wrote. */
    void checkAll() throws InterruptedException {
        begin(Task.CHECK);
        end();
    }

    /** Ends the threads. */
    void close() throws InterruptedException {
        begin(Task.END);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void begin(Task next) throws InterruptedException {
        task = next;
        stopping = false;
        barrier.await();
    }

    private void end() throws InterruptedException {
        stopping = true;
        barrier.await();
    }

    private void run(Keeper keeper) {
        try {
            barrier.await();
            while (task != Task.END) {
                if (task == Task.CHECK) {
                    keeper.checkAll();
                } else {
                    operate(keeper);
                }
                barrier.await();
                barrier.await();
            }
        } catch (InterruptedException | RuntimeException | Error thrown) {
            barrier.fail(thrown);
        }
    }

    /** At least one operation for two objects: so that there is garbage. */
    private void operate(Keeper keeper) {
        for (int i = 0; i < keeper.slots() / 2 || !stopping; i++) {
            keeper.operate();
        }
    }
}
