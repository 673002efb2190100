package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Readers that begin and end critical sections of a gate at random, threads that wait for them, and
 * the model: each reader writes the number of its critical section when it is inside and zero
 * before it leaves.
 *
 * <p>After a grace period, no critical section lasts that had its number written before it. After a
 * close, no number is written until the gate is reopened.
 */
final class RandomReaders {
    /** What readers do. */
    enum Step {
        ENTER,
        REFUSED,
        AGAIN,

        /** The inner scopes are not ended: the outermost one ends them. */
        CUT_OFF,
        GIVE_UP,
        SLEEP,
        END_AND_BEGIN
    }

    /** What the waiters do. */
    enum Wait {
        GRACE_PERIOD,
        FOUND_SOMEBODY,
        CLOSE,
        CLOSE_TOGETHER
    }

    private static final int PLATFORM = 4;
    private static final int VISITORS = 2 * PLATFORM;
    private static final int WAITS = 400;
    private static final int NESTING_MAX = 3;
    private static final long SLEEP_NANOS = 100_000;

    private final Gate gate;
    private final long seed;
    private final AtomicIntegerArray inside = new AtomicIntegerArray(VISITORS);
    private final AtomicIntegerArray numbers = new AtomicIntegerArray(VISITORS);
    private final Map<Step, LongAdder> steps = new ConcurrentHashMap<>();
    private final Map<Wait, Integer> waits = new EnumMap<>(Wait.class);
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** Who closes reopens under this, so not while others look whether all are outside. */
    private final Object closing = new Object();

    private volatile boolean over;

    RandomReaders(Gate gate, long seed) {
        this.gate = gate;
        this.seed = seed;
    }

    void run() throws Exception {
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < VISITORS; i++) {
            readers.add(beginReader(i, new SplittableRandom(seed + i)));
        }
        try (ScriptedThread second = ScriptedThread.platform()) {
            SplittableRandom random = new SplittableRandom(seed - 1);
            for (int i = 0; i < WAITS || !enough(); i++) {
                waitOnce(random, second);
                GateCheck.verify(gate);
                assertThat(failures).isEmpty();
            }
        } finally {
            over = true;
            for (Thread reader : readers) {
                Await.end(reader);
            }
        }
        assertThat(failures).isEmpty();
        gate.close();
        GateCheck.verifyEmpty(gate);
        assertThat(GateCheck.endedInside(gate)).isZero();
    }

    /** Whether each kind of step and wait has been done a fair number of times. */
    private boolean enough() {
        boolean allSteps =
                steps.size() == Step.values().length
                        && steps.values().stream().allMatch(count -> count.sum() >= 10);
        return allSteps
                && waits.size() == Wait.values().length
                && waits.values().stream().allMatch(count -> count >= 10);
    }

    private void count(Step step) {
        steps.computeIfAbsent(step, _ -> new LongAdder()).increment();
    }

    private void count(Wait wait) {
        waits.merge(wait, 1, Integer::sum);
    }

    private void waitOnce(SplittableRandom random, ScriptedThread second) {
        if (random.nextInt(4) != 0) {
            gracePeriod();
        } else {
            close(random.nextBoolean(), second);
        }
        if (random.nextInt(8) == 0) {
            LockSupport.parkNanos(SLEEP_NANOS);
        }
    }

    private void gracePeriod() {
        int[] before = new int[VISITORS];
        boolean somebody = false;
        for (int i = 0; i < VISITORS; i++) {
            before[i] = inside.get(i);
            somebody |= before[i] != 0;
        }
        gate.synchronize();
        for (int i = 0; i < VISITORS; i++) {
            if (before[i] != 0) {
                assertThat(inside.get(i)).as("reader %d", i).isNotEqualTo(before[i]);
            }
        }
        count(Wait.GRACE_PERIOD);
        if (somebody) {
            count(Wait.FOUND_SOMEBODY);
        }
    }

    private void close(boolean together, ScriptedThread second) {
        synchronized (closing) {
            FutureTask<Boolean> other =
                    together
                            ? second.begin(
                                    () -> {
                                        gate.close();
                                        return isEmpty();
                                    })
                            : new FutureTask<>(() -> true);
            gate.close();
            assertThat(isEmpty()).isTrue();
            if (together) {
                assertThat(ScriptedThread.get(other)).isTrue();
                count(Wait.CLOSE_TOGETHER);
            }
            Thread.onSpinWait();
            assertThat(isEmpty()).isTrue();
            count(Wait.CLOSE);
            gate.reopen();
        }
    }

    private boolean isEmpty() {
        for (int i = 0; i < VISITORS; i++) {
            if (inside.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private Thread beginReader(int index, SplittableRandom random) {
        Thread.Builder builder = index < PLATFORM ? Thread.ofPlatform() : Thread.ofVirtual();
        return builder.start(() -> sectionAll(index, random, builder));
    }

    /** Critical sections, and now and then goes on in a new thread. */
    private void sectionAll(int index, SplittableRandom random, Thread.Builder builder) {
        try {
            Accessor accessor = gate.accessor();
            while (!over) {
                section(index, random, accessor);
                if (random.nextInt(1000) == 0) {
                    count(Step.END_AND_BEGIN);
                    builder.start(() -> sectionSome(index, random)).join();
                }
            }
        } catch (Throwable failure) {
            failures.add(failure);
        }
    }

    private void sectionSome(int index, SplittableRandom random) {
        try {
            for (int i = 0; i < 50; i++) {
                section(index, random, gate.accessor());
            }
        } catch (Throwable failure) {
            failures.add(failure);
        }
    }

    private void section(int index, SplittableRandom random, Accessor accessor) {
        count(Step.ENTER);
        Accessor its = random.nextBoolean() ? accessor : gate.accessor();
        long[] scopes = new long[1 + random.nextInt(NESTING_MAX + 1)];
        scopes[0] = its.begin();
        if (scopes[0] == 0) {
            count(Step.REFUSED);
            LockSupport.parkNanos(1); // or who is to reopen it may get no turn
            return;
        }
        inside.set(index, numbers.incrementAndGet(index));
        for (int i = 1; i < scopes.length; i++) {
            count(Step.AGAIN);
            scopes[i] = its.begin();
            assertThat(scopes[i]).isNotZero();
        }
        if (random.nextInt(100) == 0) {
            count(Step.SLEEP);
            LockSupport.parkNanos(SLEEP_NANOS);
        }
        if (random.nextInt(2000) == 0) {
            giveUp(index);
        }
        if (random.nextInt(8) == 0) {
            count(Step.CUT_OFF);
        } else {
            for (int i = scopes.length - 1; i > 0; i--) {
                its.end(scopes[i]);
            }
        }
        inside.set(index, 0);
        its.end(scopes[0]);
        assertThat(gate.isInside()).isFalse();
    }

    /**
     * Closes from inside; a thread that may reopen it then closes it again, as others may have
     * reopened.
     */
    private void giveUp(int index) {
        count(Step.GIVE_UP);
        inside.set(index, 0);
        gate.closeFromInside();
        assertThat(gate.isInside()).isFalse();
        synchronized (closing) {
            gate.close();
            assertThat(isEmpty()).isTrue();
            gate.reopen();
        }
    }
}
