package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.Paint;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Cleanup actions of deferred arenas: each arena's run whatever those of others throw, before its
 * memory is used again. A tick stands for the background.
 */
@SuppressWarnings("restricted") // the only way to register actions
class DeferredActionsTest {
    private static final long GROUP_MAX = DeferredGroup.BYTES_MAX;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(4096, 2);

    private static final String OF_AN_ACTION = "of an action";

    /** What the library logs by; kept, since the JDK refers to it weakly. */
    @SuppressWarnings("UnusedVariable")
    private static @Nullable Object logger;

    /** Without a stack, since each is logged. */
    private static final class Thrown extends Error {
        private static final long serialVersionUID = 1;

        Thrown() {
            super(OF_AN_ACTION, null, false, false);
        }
    }

    /** Keeps out of the log what actions throw here on purpose: thousands of them. */
    @BeforeAll
    static void keepTheLogQuiet() throws ReflectiveOperationException {
        Class<?> filters = Class.forName("java.util.logging.Filter");
        filter(
                Proxy.newProxyInstance(
                        filters.getClassLoader(),
                        new Class<?>[] {filters},
                        (_, _, arguments) -> {
                            Object line = arguments[0];
                            Object thrown = line.getClass().getMethod("getThrown").invoke(line);
                            return !(thrown instanceof Throwable some
                                    && OF_AN_ACTION.equals(some.getMessage()));
                        }));
    }

    @AfterAll
    static void letTheLogSpeak() throws ReflectiveOperationException {
        filter(null);
    }

    /** By reflection: the module of the library does not read that of the logger. */
    private static void filter(@Nullable Object filter) throws ReflectiveOperationException {
        Class<?> loggers = Class.forName("java.util.logging.Logger");
        Object known = loggers.getMethod("getLogger", String.class).invoke(null, "io.polder");
        loggers.getMethod("setFilter", Class.forName("java.util.logging.Filter"))
                .invoke(known, filter);
        logger = known;
    }

    /** An arena, and what has become of its actions. */
    private final class Acting {
        final Arena arena = memory.openDeferred();
        final List<MemorySegment> segments = new ArrayList<>();
        int registered;
        int ran;
        boolean closed;

        /** Does what a program may do with an arena. */
        void step(SplittableRandom random) {
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    long most = random.nextInt(20) == 0 ? 2 * GROUP_MAX : 5000;
                    MemorySegment segment = arena.allocate(random.nextLong(most));
                    assertThat(Paint.isZero(segment)).isTrue();
                    Paint.paint(segment, segments.size());
                    segments.add(segment);
                }
                case 2 -> assertThat(arena.scope()).isEqualTo(arena.scope());
                case 3 -> register(random.nextInt(3));
                default -> {
                    // it lives on
                }
            }
        }

        private void register(int kind) {
            MemorySegment on =
                    segments.isEmpty()
                            ? MemorySegment.NULL
                            : segments.get(registered % segments.size());
            registered++;
            var _ =
                    on.reinterpret(
                            on.byteSize(),
                            arena,
                            memory -> {
                                ran++;
                                assertThat(memory.byteSize()).isEqualTo(on.byteSize());
                                check();
                                if (kind == 1) {
                                    throw new IllegalStateException(OF_AN_ACTION);
                                }
                            });
        }

        /** Registers one after which the JDK runs no other of this arena. */
        void registerError() {
            var _ =
                    MemorySegment.NULL.reinterpret(
                            0,
                            arena,
                            _ -> {
                                throw new Thrown();
                            });
        }

        void check() {
            for (int i = 0; i < segments.size(); i++) {
                MemorySegment memory = segments.get(i);
                if (memory.scope().isAlive()) {
                    assertThat(Paint.isPainted(memory, i)).isTrue();
                }
            }
        }

        void close() {
            check();
            arena.close();
            closed = true;
        }
    }

    @Test
    void actions_besideThoseThatThrowErrors_runAll() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < TestScale.of(50, 500); round++) {
                        round(new SplittableRandom(seed + round));
                    }
                });
    }

    private void round(SplittableRandom random) {
        List<Acting> all = new ArrayList<>();
        List<Acting> throwing = new ArrayList<>();
        for (int step = random.nextInt(10, 150); step > 0; step--) {
            if (all.isEmpty() || random.nextInt(8) == 0) {
                all.add(new Acting());
            }
            Acting one = all.get(random.nextInt(all.size()));
            if (one.closed) {
                continue;
            }
            switch (random.nextInt(12)) {
                case 0 -> one.close();
                case 1 -> {
                    one.registerError();
                    throwing.add(one);
                }
                case 2 -> memory.tick();
                default -> one.step(random);
            }
        }
        for (Acting each : all) {
            if (!each.closed) {
                each.close();
            }
        }
        Await.until(() -> !memory.tick());
        for (Acting each : all) {
            if (throwing.contains(each)) {
                assertThat(each.ran).isLessThanOrEqualTo(each.registered);
            } else {
                assertThat(each.ran).isEqualTo(each.registered);
            }
            assertThat(each.segments).noneMatch(segment -> segment.scope().isAlive());
        }
        assertThat(memory.deferredGroups()).isZero();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    /** The first who asks has the group's lifetime, so what it was given before is of its scope. */
    @Test
    void scope_afterAnAllocation_isThatOfTheSegment() {
        for (int i = 0; i < 5; i++) {
            Arena arena = memory.openDeferred();
            MemorySegment before = arena.allocate(100);
            assertThat(arena.scope()).isEqualTo(before.scope());
            assertThat(arena.allocate(100).scope()).isEqualTo(before.scope());
            arena.close();
        }
        memory.tick();
    }

    /** Or its actions would be those of the group, with others' that may end them. */
    @Test
    void scope_closed_hasEndedAndTakesNoAction() {
        Arena closed = memory.openDeferred();
        Arena other = memory.openDeferred();
        MemorySegment ofGroup = other.allocate(100);
        closed.close();
        assertThat(closed.scope().isAlive()).isFalse();
        assertThat(closed.scope()).isEqualTo(closed.scope());
        assertThatIllegalStateException()
                .isThrownBy(() -> MemorySegment.NULL.reinterpret(closed, _ -> {}))
                .withMessage(Arguments.CLOSED);
        assertThat(other.scope()).isEqualTo(ofGroup.scope());
        other.close();
        assertThat(memory.tick()).isFalse();
        assertThat(ofGroup.scope().isAlive()).isFalse();
    }

    /** Its segments of the group have what is alive behind them for as long as they are. */
    @Test
    void scope_ofAnotherMember_keepsTheGroupAsLongAsItsOwn() {
        Arena first = memory.openDeferred();
        Arena second = memory.openDeferred();
        MemorySegment ofGroup = second.allocate(100);
        Paint.paint(ofGroup, 1);
        assertThat(first.scope()).isEqualTo(ofGroup.scope());
        MemorySegment.Scope own = second.scope();
        assertThat(own).isNotEqualTo(ofGroup.scope());
        assertThat(second.allocate(10).scope()).isEqualTo(own);
        MemorySegment moved = ofGroup.reinterpret(100, second, null);
        assertThat(moved.scope()).isEqualTo(own);
        first.close();
        memory.tick();
        assertThat(Paint.isPainted(moved, 1)).isTrue();
        second.close();
        assertThat(memory.tick()).isFalse();
        assertThat(own.isAlive()).isFalse();
        assertThat(ofGroup.scope().isAlive()).isFalse();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }
}
