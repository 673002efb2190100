package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.Crew;
import io.polder.Paint;
import io.polder.chunk.SpaceCheck;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Who joins a group, when it is ready to be closed, and that it is closed once. */
class DeferredGroupTest {
    private final ChunkSource source = Slabs.source(4096);
    private final SharedArena arena = new SharedArena(source, null);
    private final DeferredGroup group = new DeferredGroup(arena, DeferredGroup.BYTES_MAX);
    private final AtomicLong ended = new AtomicLong();

    @AfterEach
    void verify() {
        SpaceCheck.verifyAtRest(source.space);
    }

    @Test
    void isReady_lastMemberLeft_onlyIfItIsSealed() {
        assertThat(group.join()).isTrue();
        group.leave();
        assertThat(group.isReady()).isFalse();
        assertThat(group.join()).as("an empty group that is open can be joined").isTrue();
        group.seal();
        assertThat(group.isReady()).isFalse();
        assertThat(group.join()).isFalse();
        group.leave();
        assertThat(group.isReady()).isTrue();
    }

    @Test
    void isReady_anyOtherMemberLeft_isFalse() {
        for (int i = 0; i < 5; i++) {
            assertThat(group.join()).isTrue();
        }
        group.seal();
        for (int i = 0; i < 4; i++) {
            group.leave();
            assertThat(group.isReady()).isFalse();
        }
        group.leave();
        assertThat(group.isReady()).isTrue();
    }

    @Test
    void isReady_sealedWithoutMembers_isTrueAtOnce() {
        assertThat(group.isReady()).isFalse();
        group.seal();
        assertThat(group.isReady()).isTrue();
        group.seal();
        assertThat(group.isReady()).isTrue();
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
        group.chargedBytes.addAndGet(-half);
        assertThat(group.charge(half)).isTrue();
    }

    @Test
    void retain_byMembersThatLeave_countsWhatIsRetained() {
        assertThat(group.join()).isTrue();
        assertThat(group.join()).isTrue();
        assertThat(group.retainedBytes.get()).isZero();
        assertThat(group.hasClosedMembers).isFalse();
        group.retainedBytes.addAndGet(1000);
        group.leave();
        assertThat(group.retainedBytes.get()).isEqualTo(1000);
        assertThat(group.hasClosedMembers).isTrue();
        group.retainedBytes.addAndGet(24);
        group.leave();
        assertThat(group.retainedBytes.get()).isEqualTo(1024);
        assertThat(group.hasClosedMembers).isTrue();
    }

    @Test
    void hasClosedMembers_sealedWithOpenOnes_isFalse() {
        assertThat(group.join()).isTrue();
        group.seal();
        assertThat(group.hasClosedMembers).isFalse();
    }

    @Test
    void tryClose_notReady_doesNothing() {
        MemorySegment segment = arena.allocate(100);
        Paint.paint(segment, 1);
        assertThat(group.tryClose(ended)).isNull();
        assertThat(group.join()).isTrue();
        group.seal();
        assertThat(group.tryClose(ended)).isNull();
        assertThat(group.isDone()).isFalse();
        assertThat(Paint.isPainted(segment, 1)).isTrue();
        group.leave();
        assertThat(group.tryClose(ended)).isNull();
        assertThat(group.isDone()).isTrue();
        assertThat(segment.scope().isAlive()).isFalse();
        assertThat(source.space.statistics().usedBytes()).isZero();
    }

    /** An action that closes what is closed already throws what the JDK says of arenas. */
    @ParameterizedTest
    @ValueSource(strings = {"of the user", Arguments.CLOSED})
    void tryClose_actionThrows_returnsItAndHasClosed(String message) {
        arena.allocate(100);
        IllegalStateException ofTheUser = new IllegalStateException(message);
        onClose(
                () -> {
                    throw ofTheUser;
                });
        group.seal();
        assertThat(group.tryClose(ended)).isSameAs(ofTheUser);
        assertThat(group.isDone()).isTrue();
        assertThat(source.space.statistics().usedBytes()).isZero();
        assertThat(group.tryClose(ended)).as("once").isNull();
    }

    @SuppressWarnings("restricted")
    private void onClose(Runnable action) {
        MemorySegment unused = MemorySegment.NULL.reinterpret(0, arena, _ -> action.run());
        assertThat(unused.scope()).isEqualTo(arena.scope());
    }

    /**
     * The thread that comes second sees that it is being closed, or that it is: no failure of
     * anybody.
     */
    @Test
    void tryClose_byThreadsAtOnce_closesOnce() throws Exception {
        for (int round = 0; round < TestScale.of(50, 200); round++) {
            SharedArena own = new SharedArena(source, null);
            own.allocate(100);
            DeferredGroup raced = new DeferredGroup(own, DeferredGroup.BYTES_MAX);
            raced.seal();
            List<Callable<@Nullable Throwable>> closers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                closers.add(() -> raced.tryClose(ended));
            }
            List<@Nullable Throwable> failures = atOnce(closers);
            assertThat(failures).containsOnlyNulls();
            assertThat(raced.isDone()).isTrue();
            assertThat(source.space.statistics().usedBytes()).isZero();
        }
    }

    /** Never while a member is in it, and for good: nobody joins any more. */
    @Test
    void isReady_joinedLeftAndSealedByThreads_comesLastAndStays() throws Exception {
        int joined = 0;
        for (int round = 0; round < TestScale.of(100, 300); round++) {
            DeferredGroup raced = new DeferredGroup(arena, DeferredGroup.BYTES_MAX);
            AtomicInteger inside = new AtomicInteger();
            AtomicBoolean seen = new AtomicBoolean();
            AtomicInteger tooEarly = new AtomicInteger();
            boolean joinedBefore = round % 2 == 0;
            Callable<Integer> member = () -> joinAndLeave(raced, inside, seen, tooEarly);
            Callable<Integer> sealer =
                    () -> {
                        if (joinedBefore) {
                            Await.until(() -> inside.get() > 0);
                        }
                        raced.seal();
                        look(raced, inside, seen, tooEarly);
                        return 0;
                    };
            for (Integer each : atOnce(List.of(member, member, member, sealer))) {
                joined += each;
            }
            assertThat(seen).as("the thread that came last saw it").isTrue();
            assertThat(raced.isReady()).isTrue();
            assertThat(tooEarly).hasValue(0);
        }
        assertThat(joined).as("some joined before the seal").isPositive();
    }

    private static int joinAndLeave(
            DeferredGroup group, AtomicInteger inside, AtomicBoolean seen, AtomicInteger tooEarly) {
        int joined = 0;
        while (group.join()) {
            inside.incrementAndGet();
            tooEarly.addAndGet(seen.get() || group.isReady() ? 1 : 0);
            joined++;
            inside.decrementAndGet();
            group.leave();
            look(group, inside, seen, tooEarly);
        }
        return joined;
    }

    /** What a closer does; and everybody who joined looks whether there was one already. */
    private static void look(
            DeferredGroup group, AtomicInteger inside, AtomicBoolean seen, AtomicInteger tooEarly) {
        if (group.isReady()) {
            seen.set(true);
            tooEarly.addAndGet(inside.get());
        }
    }

    private static <T extends @Nullable Object> List<T> atOnce(List<Callable<T>> tasks)
            throws Exception {
        CyclicBarrier start = new CyclicBarrier(tasks.size());
        List<Future<T>> futures = new ArrayList<>();
        List<T> results = new ArrayList<>();
        try (ExecutorService threads = Crew.of(tasks.size())) {
            for (Callable<T> task : tasks) {
                futures.add(
                        threads.submit(
                                () -> {
                                    Await.all(start);
                                    return task.call();
                                }));
            }
            for (Future<T> future : futures) {
                results.add(future.get());
            }
        }
        return results;
    }
}
