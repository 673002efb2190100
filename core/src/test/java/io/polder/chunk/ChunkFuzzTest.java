package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;

import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Random operations against a sorted map of what is taken, with painted payload. */
class ChunkFuzzTest extends SpaceFixture {
    private static final int OPERATIONS = 3000;
    private static final int OTHERS_MAX = 2;

    /** What the model knows of a chunk: how much of it is painted, and how. */
    private record Owned(long chunk, long used, byte paint) {
        long end() {
            return Chunk.address(chunk) + Chunk.bytes(chunk);
        }
    }

    private enum Operation {
        TAKE,
        USE,
        ENLARGE,
        GIVE,
        OTHERS_TAKE,
        OTHERS_GIVE,
        TRIM,
        DECAY
    }

    private final TreeMap<Long, Owned> owned = new TreeMap<>();

    /** What others took who share the budget. */
    private final ArrayDeque<Long> others = new ArrayDeque<>();

    private final Map<Operation, Integer> mix = new EnumMap<>(Operation.class);
    private final long seed = System.nanoTime();
    private final SplittableRandom random = new SplittableRandom(seed);
    private int exhausted;

    @Test
    void random_withoutLimits_matchesTheModel() {
        run(MemoryLimits.NONE, false);
        assertThat(exhausted).isZero();
    }

    @Test
    void random_withTightLimits_matchesTheModel() {
        run(new MemoryLimits(8 * MIB, 40 * MIB), false);
        assertThat(exhausted).isPositive();
    }

    @Test
    void random_withFailingCalls_matchesTheModel() {
        run(new MemoryLimits(16 * MIB, 32 * MIB), true);
        assertThat(provider.failures(Call.UNCOMMIT)).isPositive();
    }

    /** As on machines whose OS pages hold dozens of the smallest chunks. */
    @Test
    void random_withLargeOsPages_matchesTheModel() {
        run(space(withOsPages(64 * KIB), new MemoryLimits(16 * MIB, 64 * MIB)), false);
    }

    private MemoryProvider withOsPages(long bytes) {
        return (MemoryProvider)
                Proxy.newProxyInstance(
                        MemoryProvider.class.getClassLoader(),
                        new Class<?>[] {MemoryProvider.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("osPageSize")) {
                                return bytes;
                            }
                            try {
                                return method.invoke(provider, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private void run(MemoryLimits limits, boolean failing) {
        run(space(limits), failing);
    }

    private void run(ChunkSpace space, boolean failing) {
        System.out.println("ChunkFuzzTest: seed=" + seed);
        if (failing) {
            SplittableRandom own = new SplittableRandom(seed + 1);
            for (Call call : new Call[] {Call.RESERVE, Call.RELEASE, Call.COMMIT, Call.UNCOMMIT}) {
                provider.failWhen(call, n -> own.nextInt(8) == 0, Errno.ENOMEM);
            }
        }
        for (int i = 0; i < OPERATIONS; i++) {
            step(space);
            if (i % 16 == 0) {
                SpaceCheck.verifyAtRest(space);
                compareSums(space);
            }
        }
        for (Operation operation : Operation.values()) {
            assertThat(mix.getOrDefault(operation, 0))
                    .as("seed=%d, mix=%s", seed, mix)
                    .isGreaterThan(OPERATIONS / 500);
        }
        owned.values().forEach(chunk -> checkAndGive(space, chunk));
        others.forEach(bytes -> refund(budget(space), bytes));
    }

    private void compareSums(ChunkSpace space) {
        long used = 0;
        for (Owned each : owned.values()) {
            used += Chunk.bytes(each.chunk());
        }
        ChunkStatistics now = space.statistics();
        assertThat(now.usedBytes()).as("seed=%d", seed).isEqualTo(used);
        long charged = others.stream().mapToLong(Long::longValue).sum();
        assertThat(budget(space).committed.bytes())
                .isEqualTo(now.usage().committedBytes() + charged);
        assertThat(budget(space).reserved.bytes()).isEqualTo(now.usage().reservedBytes() + charged);
    }

    private void step(ChunkSpace space) {
        Operation operation = choose();
        try {
            if (operate(space, operation)) {
                mix.merge(operation, 1, Integer::sum);
            }
        } catch (MemoryExhaustedException e) {
            exhausted++;
            mix.merge(operation, 1, Integer::sum);
        }
    }

    /** More is taken than given until there is a crowd, then the other way round, and so on. */
    private Operation choose() {
        int number = random.nextInt(100);
        int takes = owned.size() < 60 ? 40 : 15;
        if (number < takes) {
            return Operation.TAKE;
        }
        if (number < 55) {
            return Operation.GIVE;
        }
        Operation[] others = {
            Operation.USE, Operation.USE, Operation.ENLARGE, Operation.ENLARGE,
            Operation.OTHERS_TAKE, Operation.OTHERS_GIVE, Operation.TRIM, Operation.DECAY
        };
        return others[random.nextInt(others.length)];
    }

    private boolean operate(ChunkSpace space, Operation operation) {
        switch (operation) {
            case TAKE -> take(space);
            case TRIM -> space.trim();
            case DECAY -> space.decay();
            case OTHERS_TAKE -> {
                if (others.size() >= OTHERS_MAX) {
                    return false;
                }
                charge(budget(space), ROOT + random.nextLong(16) * 64 * KIB);
            }
            case OTHERS_GIVE -> {
                if (others.isEmpty()) {
                    return false;
                }
                refund(budget(space), others.poll());
            }
            default -> {
                return !owned.isEmpty() && operateOn(space, operation, pick());
            }
        }
        return true;
    }

    private void charge(MemoryBudget budget, long bytes) {
        while (!budget.reserved.tryCharge(bytes)) {
            if (!budget.reserved.makeRoom(bytes)) {
                throw budget.reserved.exhausted(bytes);
            }
        }
        while (!budget.committed.tryCharge(bytes)) {
            if (!budget.committed.makeRoom(bytes)) {
                budget.reserved.refund(bytes);
                throw budget.committed.exhausted(bytes);
            }
        }
        others.add(bytes);
    }

    private static void refund(MemoryBudget budget, long bytes) {
        budget.committed.refund(bytes);
        budget.reserved.refund(bytes);
    }

    private boolean operateOn(ChunkSpace space, Operation operation, Owned target) {
        long chunk = target.chunk();
        switch (operation) {
            case USE -> {
                long used = target.used() + random.nextLong(Chunk.bytes(chunk) - target.used() + 1);
                long committed = space.commit(chunk, target.used(), used);
                assertThat(committed).isBetween(used, Chunk.bytes(chunk));
                long added = used - target.used();
                Payload.assertZero(Chunk.address(chunk) + target.used(), added);
                Payload.paint(Chunk.address(chunk) + target.used(), added, target.paint());
                owned.put(Chunk.address(chunk), new Owned(chunk, used, target.paint()));
            }
            case ENLARGE -> {
                long enlarged = space.enlarge(chunk) & Chunk.MASK;
                if (enlarged == Chunk.NONE) {
                    return false;
                }
                assertThat(Chunk.address(enlarged)).isEqualTo(Chunk.address(chunk));
                assertThat(Chunk.level(enlarged)).isEqualTo(Chunk.level(chunk) - 1);
                add(new Owned(enlarged, target.used(), target.paint()));
            }
            case GIVE -> {
                owned.remove(Chunk.address(chunk));
                checkAndGive(space, target);
            }
            default -> throw new AssertionError(operation);
        }
        return true;
    }

    private void take(ChunkSpace space) {
        int preferred = random.nextInt(3) == 0 ? random.nextInt(6) : 6 + random.nextInt(7);
        int smallest = preferred + random.nextInt(ChunkLevel.COUNT - preferred);
        long chunk = space.take(preferred, smallest);
        assertThat(Chunk.level(chunk)).isBetween(preferred, smallest);
        assertThat(Chunk.address(chunk) % Chunk.bytes(chunk)).isZero();
        assertThat(SpaceCheck.isFree(space, Chunk.address(chunk), Chunk.bytes(chunk))).isFalse();
        Payload.assertZero(chunk);
        add(new Owned(chunk, 0, (byte) (1 + random.nextInt(100))));
    }

    private void add(Owned added) {
        owned.put(Chunk.address(added.chunk()), added);
        Map.Entry<Long, Owned> below = owned.lowerEntry(Chunk.address(added.chunk()));
        Map.Entry<Long, Owned> above = owned.higherEntry(Chunk.address(added.chunk()));
        assertThat(below == null || below.getValue().end() <= Chunk.address(added.chunk()))
                .as("seed=%d, no overlap with the chunk below", seed)
                .isTrue();
        assertThat(above == null || above.getKey() >= added.end())
                .as("seed=%d, no overlap with the chunk above", seed)
                .isTrue();
    }

    private static void checkAndGive(ChunkSpace space, Owned target) {
        long address = Chunk.address(target.chunk());
        Payload.assertPainted(address, target.used(), target.paint());
        space.give(target.chunk(), target.used());
    }

    private Owned pick() {
        Owned[] all = owned.values().toArray(Owned[]::new);
        return all[random.nextInt(all.length)];
    }
}
