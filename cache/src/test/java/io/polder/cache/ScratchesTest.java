package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A scratch has one operation at a time, and a thread that works all the time has its own. */
class ScratchesTest {
    /** More than a thread finds in vain before a place is its own. */
    private static final int OFTEN = Scratches.FINDS + 100;

    private final Scratches scratches = new Scratches();

    private Scratch takeAndGive() {
        Scratch taken = scratches.take();
        scratches.give(taken);
        return taken;
    }

    @Test
    void thread_hasTheSameAgain_andAnotherForWhatIsWithin() {
        Scratch outer = scratches.take();
        Scratch within = scratches.take();
        assertThat(within).isNotSameAs(outer);
        scratches.give(within);
        scratches.give(outer);
        assertThat(scratches.take()).isSameAs(outer);
    }

    @Test
    void whatIsNeverGivenBack_isReplacedByAnother() {
        Scratch lost = scratches.take();
        Scratch latest = lost;
        for (int i = 0; i < OFTEN; i++) {
            latest = takeAndGive();
            assertThat(latest).isNotSameAs(lost);
        }
        assertThat(takeAndGive()).isSameAs(latest);
        assertThat(latest.ownerId).isEqualTo(Thread.currentThread().threadId());
    }

    @Test
    void placeOfAThreadThatEnded_getsAnotherOwner() throws InterruptedException {
        List<Scratch> owned = new ArrayList<>();
        for (int i = 0; i < 2 * Places.COUNT; i++) { // so many that some have the same place
            Thread thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        Scratch latest = takeAndGive();
                                        for (int j = 0; j < OFTEN; j++) {
                                            latest = takeAndGive();
                                        }
                                        assertThat(latest.ownerId)
                                                .isEqualTo(Thread.currentThread().threadId());
                                        owned.add(latest);
                                    });
            thread.join();
        }
        assertThat(owned).hasSize(2 * Places.COUNT).doesNotHaveDuplicates();
    }

    @Test
    void virtualThreads_shareOne() throws InterruptedException {
        Set<Scratch> seen = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < OFTEN; i++) {
            Thread.ofVirtual().start(() -> seen.add(takeAndGive())).join();
        }
        assertThat(seen).hasSizeLessThanOrEqualTo(Places.COUNT);
        assertThat(seen).allMatch(scratch -> scratch.ownerId == Scratch.NO_OWNER);
    }

    @Test
    void noScratch_hasTwoOperationsAtATime() throws InterruptedException {
        Set<Scratch> inUse = ConcurrentHashMap.newKeySet();
        Set<String> wrong = ConcurrentHashMap.newKeySet();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            Thread.Builder builder = i % 3 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
            threads.add(builder.start(() -> useOften(inUse, wrong)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).isEmpty();
        assertThat(inUse).isEmpty();
    }

    private void useOften(Set<Scratch> inUse, Set<String> wrong) {
        for (int i = 0; i < 2000; i++) {
            Scratch taken = scratches.take();
            if (!inUse.add(taken)) {
                wrong.add("taken twice: owner=" + taken.ownerId);
            }
            LockSupport.parkNanos(1);
            inUse.remove(taken);
            scratches.give(taken);
        }
    }
}
