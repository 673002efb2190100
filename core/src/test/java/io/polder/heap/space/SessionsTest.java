package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.gate.ScriptedThread;
import io.polder.heap.HeapObjects;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Many uses in one critical section. */
class SessionsTest extends HeapFixture {
    private static final int OBJECTS = 200;
    private static final int ROUNDS = 40;
    private static final int SIZE = 40;

    @Test
    void session_eachUse_isAsThatOfTheHeap() {
        RelocatingHeap heap = heap();
        long handle = heap.allocate(SIZE);
        String result =
                heap.session(
                        session -> {
                            session.setByte(handle, 0, (byte) -7);
                            session.setInt(handle, 1, -70_000);
                            session.setLong(handle, 5, Long.MIN_VALUE + 3);
                            session.setDouble(handle, 13, -0.5);
                            session.put(handle, 24, word(11));
                            assertThat(session.getByte(handle, 0)).isEqualTo((byte) -7);
                            assertThat(session.getInt(handle, 1)).isEqualTo(-70_000);
                            assertThat(session.getLong(handle, 5)).isEqualTo(Long.MIN_VALUE + 3);
                            assertThat(session.getDouble(handle, 13)).isEqualTo(-0.5);
                            assertThat(session.size(handle)).isEqualTo(SIZE);
                            MemorySegment part = MemorySegment.ofArray(new byte[8]);
                            session.get(handle, 24, part);
                            assertThat(part.mismatch(word(11))).isEqualTo(-1);
                            return "done";
                        });
        assertThat(result).isEqualTo("done");
        assertThat(heap.getByte(handle, 0)).isEqualTo((byte) -7);
        assertThat(heap.getInt(handle, 1)).isEqualTo(-70_000);
        assertThat(heap.getLong(handle, 5)).isEqualTo(Long.MIN_VALUE + 3);
        assertThat(heap.getDouble(handle, 13)).isEqualTo(-0.5);
        assertThat(heap.getLong(handle, 24)).isEqualTo(11);
        MemorySegment whole = MemorySegment.ofArray(new byte[SIZE]);
        boolean _ =
                heap.session(
                        session -> {
                            session.get(handle, whole);
                            session.put(handle, 0, whole);
                            return true;
                        });
        assertThat(heap.mismatch(handle, whole)).isEqualTo(-1);
    }

    @Test
    void session_badHandlesAndOffsets_areRefusedAndItGoesOn() {
        RelocatingHeap heap = heap();
        long handle = heap.allocate(8);
        long gone = heap.allocate(8);
        heap.free(gone);
        long _ =
                heap.<Long>session(
                        session -> {
                            assertStale(() -> session.getLong(gone, 0));
                            assertStale(() -> session.setInt(gone, 0, 1));
                            assertStale(() -> session.get(gone, word(0)));
                            assertStale(() -> session.put(gone, 0, word(0)));
                            assertStale(() -> session.size(0));
                            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                                    .isThrownBy(() -> session.getLong(handle, 1));
                            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                                    .isThrownBy(() -> session.setByte(handle, -1, (byte) 1));
                            heap.free(handle);
                            assertStale(() -> session.getLong(handle, 0));
                            return 0L;
                        });
        assertThat(space(heap).access.isInside()).isFalse();
    }

    private static void assertStale(ThrowingCallable use) {
        assertThatExceptionOfType(StaleHandleException.class).isThrownBy(use);
    }

    @Test
    void session_whateverTheFunctionThrows_isThrownAndItIsOver() {
        RelocatingHeap heap = heap();
        IllegalArgumentException thrown = new IllegalArgumentException("of the program");
        HeapObjects[] kept = new HeapObjects[1];
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(
                        () ->
                                heap.session(
                                        session -> {
                                            kept[0] = session;
                                            throw thrown;
                                        }))
                .isSameAs(thrown);
        assertThat(space(heap).access.isInside()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> kept[0].size(0))
                .withMessage("a session ends when its function returns");
    }

    @Test
    @SuppressWarnings("NullAway") // that is what is tested
    void session_noFunction_isRefused() {
        RelocatingHeap heap = heap();
        assertThatNullPointerException()
                .isThrownBy(() -> heap.session(null))
                .withMessage("function");
        assertThat(space(heap).access.isInside()).isFalse();
    }

    @Test
    void session_afterItsFunction_isRefusedAndNothingChanged() {
        RelocatingHeap heap = heap();
        long handle = heap.allocate(word(5));
        HeapObjects over = heap.session(session -> session);
        List<ThrowingCallable> uses =
                List.of(
                        () -> over.getByte(handle, 0),
                        () -> over.getLong(handle, 0),
                        () -> over.setLong(handle, 0, 6),
                        () -> over.get(handle, word(0)),
                        () -> over.get(handle, 0, word(0)),
                        () -> over.put(handle, 0, word(6)),
                        () -> over.size(handle));
        assertThat(uses)
                .allSatisfy(
                        use ->
                                assertThatIllegalStateException()
                                        .isThrownBy(use)
                                        .withMessage("a session ends when its function returns"));
        boolean _ =
                heap.session( // a later one does not bring it back
                        session -> {
                            assertThatIllegalStateException()
                                    .isThrownBy(() -> over.setLong(handle, 0, 6));
                            return session.size(handle) == 8;
                        });
        assertThat(heap.getLong(handle, 0)).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void session_inAnotherThread_isRefusedAlsoWhereThatIsInsideItself(boolean inside) {
        RelocatingHeap heap = heap();
        long handle = heap.allocate(word(5));
        try (ScriptedThread other = ScriptedThread.platform()) {
            boolean _ =
                    heap.session(
                            session -> {
                                other.run(() -> useElsewhere(heap, session, handle, inside));
                                return true;
                            });
        }
        assertThat(heap.getLong(handle, 0)).isEqualTo(5);
    }

    private static void useElsewhere(
            RelocatingHeap heap, HeapObjects session, long handle, boolean inside) {
        ThrowingCallable use = () -> session.setLong(handle, 0, 6);
        boolean refused = inside ? heap.<Boolean>session(_ -> isRefused(use)) : isRefused(use);
        assertThat(refused).isTrue();
    }

    private static boolean isRefused(ThrowingCallable use) {
        assertThatExceptionOfType(WrongThreadException.class)
                .isThrownBy(use)
                .withMessageContaining("a session is for the thread that runs its function: owner=")
                .withMessageContaining(", thread=");
        return true;
    }

    @Test
    void sessions_nestedAndWithFunctionsOfTheHeap_work() {
        RelocatingHeap heap = heap();
        RelocatingHeap other = heap();
        long handle = heap.allocate(word(5));
        long theirs = other.allocate(word(6));
        long sum =
                heap.session(
                        outer -> {
                            long in = heap.session(inner -> inner.getLong(handle, 0) + 1);
                            long beside = other.session(inner -> inner.getLong(theirs, 0));
                            long fresh = heap.allocate(word(1));
                            heap.update(fresh, bytes -> bytes.fill((byte) 0));
                            return in + beside + outer.getLong(handle, 0) + outer.size(fresh);
                        });
        assertThat(sum).isEqualTo(6 + 6 + 5 + 8);
        assertThat(space(heap).access.isInside()).isFalse();
    }

    @Test
    void session_whatWaitsForReaders_isRefusedInIt() {
        RelocatingHeap heap = heap();
        RelocatingHeap other = heap();
        boolean _ =
                heap.session(
                        session -> {
                            for (RelocatingHeap each : List.of(heap, other)) {
                                assertThatIllegalStateException().isThrownBy(each::compact);
                                assertThatIllegalStateException().isThrownBy(each::close);
                            }
                            return session != null;
                        });
    }

    @Test
    void session_closedHeap_isRefused() {
        RelocatingHeap heap = heap();
        heap.close();
        AtomicBoolean called = new AtomicBoolean();
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                heap.session(
                                        _ -> {
                                            called.set(true);
                                            return true;
                                        }))
                .withMessage("the heap is closed");
        assertThat(called).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void session_staysOpen_compactionWaitsAndOthersDoNot(boolean virtual) throws Exception {
        RelocatingHeap heap = heap();
        long[] handles = objects(heap, 20_000, 512);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leaves = new CountDownLatch(1);
        Runnable stays =
                () -> {
                    long _ =
                            heap.<Long>session(
                                    session -> {
                                        long before = session.getLong(handles[0], 0);
                                        inside.countDown();
                                        Await.open(leaves);
                                        session.setLong(handles[8], 8, 77);
                                        return before + session.getLong(handles[8], 8);
                                    });
                };
        Thread thread = virtual ? Thread.startVirtualThread(stays) : new Thread(stays, "stays");
        if (!virtual) {
            thread.start();
        }
        Await.open(inside);
        thin(heap, handles, 8);
        try (ScriptedThread compacting = ScriptedThread.platform()) {
            AtomicLong givenBack = new AtomicLong();
            FutureTask<Boolean> compaction =
                    compacting.beginBlocking(() -> givenBack.set(heap.compact()));
            checkThinned(heap, handles, 8);
            heap.setLong(handles[16], 8, 78);
            long fresh = heap.allocate(word(1));
            heap.free(fresh);
            assertThat(compaction.isDone()).isFalse();
            if (!virtual) {
                assertThat(heap.stats().longestInsideThread()).contains("stays");
            }
            leaves.countDown();
            ScriptedThread.get(compaction);
            assertThat(givenBack.get()).isPositive();
        }
        Await.end(thread);
        assertThat(heap.getLong(handles[8], 8)).isEqualTo(77);
        assertThat(heap.getLong(handles[16], 8)).isEqualTo(78);
    }

    /** Objects of which each worker has every other one, and counts in it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sessions_everythingMoves_loseNothing(boolean virtual) {
        long seed = Seed.get();
        RelocatingHeap heap = heap();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    long[] handles = new long[OBJECTS];
                    for (int i = 0; i < OBJECTS; i++) {
                        handles[i] = heap.allocate(24 + random.nextLong(i % 10 == 0 ? MIB : KIB));
                        heap.setLong(handles[i], 8, -i);
                    }
                    long[][] counted = new long[2][OBJECTS];
                    AtomicLong sessions = new AtomicLong();
                    try (Workers workers = virtual ? Workers.virtual() : Workers.platform()) {
                        for (int i = 0; i < 2; i++) {
                            int worker = i;
                            SplittableRandom its = random.split();
                            workers.repeat(
                                    () -> {
                                        count(heap, handles, counted[worker], worker, its);
                                        sessions.incrementAndGet();
                                    });
                        }
                        workers.begin(
                                () -> {
                                    Churn churn = new Churn(heap, random.split(), 600);
                                    for (int round = 0; round < ROUNDS; round++) {
                                        churn.round();
                                    }
                                    // On a busy machine the others may have had no turn by then.
                                    while (workers.goesOn() && sessions.get() < ROUNDS) {
                                        churn.round();
                                    }
                                    churn.end();
                                });
                        workers.joinAllBut(2);
                    }
                    for (int i = 0; i < OBJECTS; i++) {
                        assertThat(heap.getLong(handles[i], 0)).isEqualTo(counted[i % 2][i]);
                        assertThat(heap.getLong(handles[i], 8)).isEqualTo(-i);
                    }
                    assertThat(heap.stats().cycles()).isGreaterThan(ROUNDS / 2);
                });
    }

    private static void count(
            RelocatingHeap heap,
            long[] handles,
            long[] counted,
            int worker,
            SplittableRandom random) {
        boolean _ =
                heap.session(
                        session -> {
                            for (int i = 0; i < 50; i++) {
                                int at = 2 * random.nextInt(OBJECTS / 2) + worker;
                                long before = session.getLong(handles[at], 0);
                                assertThat(before).isEqualTo(counted[at]);
                                if (random.nextBoolean()) {
                                    session.setLong(handles[at], 0, before + 1);
                                } else {
                                    session.put(handles[at], 0, word(before + 1));
                                }
                                counted[at]++;
                                assertThat(session.getLong(handles[at], 8)).isEqualTo(-at);
                            }
                            return true;
                        });
    }
}
