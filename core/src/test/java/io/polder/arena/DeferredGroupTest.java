package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Who joins a group, and when it is handed to the closer: once, when nobody is in it any more. */
class DeferredGroupTest {
    private final AtomicInteger closed = new AtomicInteger();
    private final SharedArena arena = new SharedArena(Slabs.source(4096));
    private final DeferredGroup group = group();

    private DeferredGroup group() {
        return new DeferredGroup(arena, closing -> closed.incrementAndGet());
    }

    @Test
    void leave_ofTheLastMember_closesOnlyWhatIsSealed() {
        assertThat(group.join()).isTrue();
        group.leave(0);
        assertThat(closed).hasValue(0);
        assertThat(group.join()).as("an empty group that is open can be joined").isTrue();
        group.seal();
        assertThat(closed).hasValue(0);
        assertThat(group.join()).isFalse();
        group.leave(0);
        assertThat(closed).hasValue(1);
    }

    @Test
    void leave_ofAnyOtherMember_closesNothing() {
        for (int i = 0; i < 5; i++) {
            assertThat(group.join()).isTrue();
        }
        group.seal();
        for (int i = 0; i < 4; i++) {
            group.leave(0);
            assertThat(closed).hasValue(0);
        }
        group.leave(0);
        assertThat(closed).hasValue(1);
    }

    @Test
    void seal_withoutMembers_closesAtOnce() {
        group.seal();
        assertThat(closed).hasValue(1);
        group.seal();
        assertThat(closed).as("once").hasValue(1);
        assertThat(group.join()).isFalse();
    }

    @Test
    void charge_upToTheBound_isGrantedAndNoMore() {
        long half = DeferredGroup.BYTES_MAX / 2;
        assertThat(group.charge(half)).isTrue();
        assertThat(group.charge(half + 1)).isFalse();
        assertThat(group.charge(Long.MAX_VALUE)).isFalse();
        assertThat(group.charge(half)).as("a refusal is not charged").isTrue();
        assertThat(group.charge(1)).isFalse();
        group.uncharge(half);
        assertThat(group.charge(half)).isTrue();
    }

    @Test
    void leave_withBytes_countsWhatIsRetained() {
        assertThat(group.join()).isTrue();
        assertThat(group.join()).isTrue();
        assertThat(group.retainedBytes()).isZero();
        group.leave(1000);
        assertThat(group.retainedBytes()).isEqualTo(1000);
        assertThat(group.closedMembers()).isEqualTo(1);
        group.leave(24);
        assertThat(group.retainedBytes()).isEqualTo(1024);
        assertThat(group.closedMembers()).isEqualTo(2);
    }

    /** Never while a member is in it, and once. */
    @Test
    void closer_joinedLeftAndSealedByThreads_isCalledOnceAndLast() throws Exception {
        int joined = 0;
        for (int round = 0; round < 300; round++) {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger calls = new AtomicInteger();
            AtomicInteger tooEarly = new AtomicInteger();
            DeferredGroup raced =
                    new DeferredGroup(
                            arena,
                            closing -> {
                                calls.incrementAndGet();
                                tooEarly.addAndGet(inside.get());
                            });
            joined += race(raced, inside);
            assertThat(calls).hasValue(1);
            assertThat(tooEarly).hasValue(0);
        }
        assertThat(joined).as("some joined before the seal").isPositive();
    }

    private static int race(DeferredGroup group, AtomicInteger inside) throws Exception {
        CyclicBarrier start = new CyclicBarrier(4);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Integer>> members = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                members.add(
                        threads.submit(
                                () -> {
                                    start.await();
                                    return joinAndLeave(group, inside);
                                }));
            }
            Future<?> sealer =
                    threads.submit(
                            () -> {
                                start.await();
                                group.seal();
                                return null;
                            });
            sealer.get();
            int joined = 0;
            for (Future<Integer> member : members) {
                joined += member.get();
            }
            return joined;
        }
    }

    private static int joinAndLeave(DeferredGroup group, AtomicInteger inside) {
        int joined = 0;
        while (group.join()) {
            inside.incrementAndGet();
            joined++;
            inside.decrementAndGet();
            group.leave(8);
        }
        return joined;
    }
}
