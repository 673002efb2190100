package io.polder.leak;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.background.Background;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** Which are watched, and what is told of them. */
class WatchTest {
    private static final int ONE_IN = 16;

    private final Watch watch = new Watch("watching", ONE_IN, new Background("watch-test"));

    @AfterEach
    void verify() {
        watch.verify();
    }

    private List<Lease> open(int count) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Lease lease = watch.sampler().next(Kind.CONFINED_ARENA);
            if (lease != null) {
                leases.add(lease);
            }
        }
        return leases;
    }

    @Test
    void sampled_many_isOneInSoManyOnAverage() {
        int count = 100_000;
        List<Lease> leases = open(count);
        assertThat(leases.size()).isBetween(count / ONE_IN / 2, 2 * count / ONE_IN);
        assertThat(watch.watched()).isEqualTo(leases.size());
        leases.forEach(Lease::close);
        assertThat(watch.watched()).isZero();
    }

    /** Two places in turn: with a fixed distance, one of them would never be watched. */
    @Test
    void sampled_inTurn_watchesEachPlace() {
        int[] watched = new int[2];
        for (int i = 0; i < 10_000; i++) {
            Lease lease = watch.sampler().next(Kind.SHARED_ARENA);
            if (lease != null) {
                watched[i % 2]++;
                lease.close();
            }
        }
        assertThat(watched[0]).isPositive();
        assertThat(watched[1]).isPositive();
    }

    @Test
    void close_twice_isLikeOnce() {
        Lease lease = watch.always(Kind.PAGE);
        lease.holds(100);
        lease.close();
        lease.close();
        assertThat(watch.watched()).isZero();
        assertThat(watch.tick()).isFalse();
        assertThat(watch.leaked()).isZero();
    }

    /** While leases come and go, what is looked for is not found. */
    @Test
    void closed_whileOthersLook_isNeverFound() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread looking =
                new Thread(
                        () -> {
                            while (!over.get()) {
                                System.gc();
                                boolean _ = watch.tick();
                            }
                        });
        looking.start();
        for (int i = 0; i < 20_000; i++) {
            useOne();
        }
        over.set(true);
        looking.join();
        System.gc();
        boolean _ = watch.tick();
        assertThat(watch.leaked()).isZero();
        assertThat(watch.watched()).isZero();
    }

    private void useOne() {
        Lease lease = watch.always(Kind.PAGE);
        lease.holds(100);
        lease.close();
    }

    @Test
    void forgotten_many_areAllCountedAndTheLastFewRemembered() {
        for (int i = 1; i <= 20; i++) {
            Lease lease = watch.always(Kind.HEAP);
            long bytes = i;
            lease.holds(() -> bytes);
        }
        int rounds = 0;
        while (watch.leaked() < 20) {
            System.gc();
            boolean _ = watch.tick();
            rounds++;
            assertThat(rounds).as("collections that find nothing").isLessThan(10_000);
        }
        assertThat(watch.leaked()).isEqualTo(20);
        assertThat(watch.leakedBytes()).isEqualTo(210);
        assertThat(watch.latest()).hasSize(8).allMatch(found -> found.kind() == Kind.HEAP);
        assertThat(watch.watched()).isZero();
    }

    /** What the collector has found is found once: a tick that drops it would lose it for good. */
    @Test
    void tick_cutOff_isGoneOnWithByTheNext() {
        int[] asked = new int[1];
        forget(
                () -> {
                    asked[0]++;
                    if (asked[0] <= 2) {
                        throw new StackOverflowError("a test");
                    }
                    return 100;
                });
        int cutOff = 0;
        int rounds = 0;
        while (watch.leaked() < 1) {
            System.gc();
            try {
                boolean _ = watch.tick();
            } catch (StackOverflowError thrown) {
                cutOff++;
            }
            rounds++;
            assertThat(rounds).as("collections that find nothing").isLessThan(10_000);
        }
        assertThat(cutOff).isEqualTo(2);
        assertThat(watch.leakedBytes()).isEqualTo(100);
        assertThat(watch.watched()).isZero();
        assertThat(watch.tick()).isFalse();
    }

    private void forget(LongSupplier bytes) {
        watch.always(Kind.HEAP).holds(bytes);
    }
}
