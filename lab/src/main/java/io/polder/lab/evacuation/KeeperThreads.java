package io.polder.lab.evacuation;

import java.util.ArrayList;
import java.util.List;

/**
 * A thread for each keeper.
 *
 * <pre>{@code
 *   meeting --> each operates, at least so often, until the work ends --> meeting
 *   meeting --> each compares all its objects                         --> meeting
 * }</pre>
 */
final class KeeperThreads {
    private enum Task {
        OPERATE,
        CHECK,
        END
    }

    private final Meeting meeting;
    private final List<Thread> threads = new ArrayList<>();
    private volatile Task task = Task.OPERATE;
    private volatile boolean stopping;

    /** Starts the threads, which wait for what they are to do. */
    KeeperThreads(List<Keeper> keepers) {
        meeting = new Meeting(keepers.size() + 1);
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
        meeting.await();
    }

    private void end() throws InterruptedException {
        stopping = true;
        meeting.await();
    }

    private void run(Keeper keeper) {
        try {
            meeting.await();
            while (task != Task.END) {
                if (task == Task.CHECK) {
                    keeper.checkAll();
                } else {
                    operate(keeper);
                }
                meeting.await();
                meeting.await();
            }
        } catch (InterruptedException | RuntimeException | Error thrown) {
            meeting.fail(thrown);
        }
    }

    /** At least one operation for two objects: so that there is garbage. */
    private void operate(Keeper keeper) {
        for (int i = 0; i < keeper.slots() / 2 || !stopping; i++) {
            keeper.operate();
        }
    }
}
