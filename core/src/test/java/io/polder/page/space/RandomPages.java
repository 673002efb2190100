package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;

import org.jspecify.annotations.Nullable;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Random operations on a space, the background's included, each followed by a look at everything. A
 * request must succeed if and only if it fits under the limit, unless calls are failed or the
 * provider can move nothing.
 */
final class RandomPages {
    enum Operation {
        TAKE_SMALL,
        TAKE_MEDIUM,
        TAKE_ANY,
        TAKE_RANGE,
        TAKE_IN_LINE,
        TAKE_TO_GROW,
        EXTEND,
        GIVE,
        GIVE_MANY,
        WRITE,
        TRIM,
        SLICE,
        EXPECT,
        TICK,
        MAKE_ROOM,
        RENEW,
        HEAL
    }

    private static final int MEDIUM_SHIFT_MAX = 4;
    private static final int ANY_MAX = 20;

    /** Of so many calls of a kind one is failed, where calls are failed. */
    private static final int FAILS_ONE_IN = 4;

    private static final List<Call> CALLS =
            List.of(Call.RESERVE, Call.RELEASE, Call.COMMIT, Call.UNCOMMIT, Call.REMAP, Call.RENEW);

    private final PageSpace space;
    private final FailingMemoryProvider provider;
    private final SplittableRandom random;
    private final boolean failing;
    private final PageModel model;
    private final ByHand byHand;
    private final LowWaterModel lowWater = new LowWaterModel();
    private final int limit;
    private final Map<Operation, Integer> mix = new EnumMap<>(Operation.class);
    private boolean healed = true;
    int refused;
    int zeroTakes;
    int extendedPages;
    long decayedBytes;

    RandomPages(
            PageSpace space,
            FailingMemoryProvider provider,
            SplittableRandom random,
            boolean failing) {
        this.space = space;
        this.provider = provider;
        this.random = random;
        this.failing = failing;
        this.model = new PageModel(space);
        this.byHand = new ByHand(space);
        this.limit = (int) (space.state.budget.limits.committedMaxBytes() >> Granules.SHIFT);
    }

    /** Runs so many operations, gives everything back, and looks that each kind was done. */
    void run(int operations) {
        if (failing) {
            heal();
        }
        for (int i = 0; i < operations; i++) {
            step(next());
        }
        end();
        Set<Operation> expected = EnumSet.allOf(Operation.class);
        if (!failing) {
            expected.remove(Operation.HEAL);
        }
        assertThat(mix.keySet()).isEqualTo(expected);
        assertThat(zeroTakes).isGreaterThan(operations / 50);
    }

    /** Gives everything back: then one run per reservation is left, and after a trim nothing. */
    private void end() {
        provider.heal();
        model.all().forEach(this::give);
        model.check();
        if (space.state.provider.canUncommit()) {
            byHand.uncommitter.uncommit(Long.MAX_VALUE);
            synchronized (space.state) {
                space.state.recoverIfNeededLocked();
                assertThat(space.state.reserved)
                        .allMatch(reservation -> reservation.isWhole(PageReservation.Kind.COLD));
            }
        }
        space.trim();
        model.check();
        assertThat(space.statistics().reservedBytes()).isZero();
        assertThat(space.statistics().committedBytes()).isZero();
        assertThat(provider.reservedBytes()).isZero();
    }

    /** More takes while little is taken, more gives while much is. */
    private Operation next() {
        int dice = random.nextInt(100);
        if (dice < 44) {
            Operation[] takes = {
                Operation.TAKE_SMALL,
                Operation.TAKE_SMALL,
                Operation.TAKE_SMALL,
                Operation.TAKE_SMALL,
                Operation.TAKE_MEDIUM,
                Operation.TAKE_ANY,
                Operation.TAKE_RANGE,
                Operation.TAKE_IN_LINE,
                Operation.TAKE_TO_GROW
            };
            return takes[random.nextInt(takes.length)];
        }
        if (dice < 68) {
            return random.nextInt(10) == 0 ? Operation.GIVE_MANY : Operation.GIVE;
        }
        if (random.nextInt(12) == 0) {
            return random.nextBoolean() ? Operation.TRIM : Operation.MAKE_ROOM;
        }
        Operation[] others = {
            Operation.WRITE,
            Operation.EXTEND,
            Operation.EXTEND,
            Operation.SLICE,
            Operation.EXPECT,
            Operation.TICK,
            Operation.TICK,
            Operation.RENEW,
            failing ? Operation.HEAL : Operation.TICK
        };
        return others[random.nextInt(others.length)];
    }

    private void step(Operation operation) {
        mix.merge(operation, 1, Integer::sum);
        try {
            carryOut(operation);
            lowWater.look(space.statistics());
            model.check();
        } catch (Throwable failure) {
            throw new AssertionError(operation + "\n" + space.statistics(), failure);
        }
    }

    private void carryOut(Operation operation) {
        switch (operation) {
            case TAKE_SMALL -> take(1, 1, false);
            case TAKE_MEDIUM -> takeExactly(1 << (1 + random.nextInt(MEDIUM_SHIFT_MAX)));
            case TAKE_ANY -> takeExactly(1 + random.nextInt(ANY_MAX));
            case TAKE_RANGE -> {
                int shift = random.nextInt(MEDIUM_SHIFT_MAX + 1);
                take(1 << random.nextInt(shift + 1), 1 << shift, false);
            }
            case TAKE_IN_LINE -> {
                int count = 1 + random.nextInt(ANY_MAX);
                take(count, count, true);
            }
            case TAKE_TO_GROW -> takeToGrow(1 + random.nextInt(ANY_MAX / 2));
            case EXTEND -> extend();
            case GIVE -> pick(1);
            case GIVE_MANY -> pick(model.pages() / 2);
            case WRITE -> write();
            case TRIM -> trim();
            case SLICE -> {
                for (int slices = 1 + random.nextInt(2 * Decay.SLICES); slices > 0; slices--) {
                    slice();
                }
            }
            case EXPECT ->
                    space.prefetch(
                            1 + random.nextLong(16 * PageSpace.GRANULE_BYTES), random.nextInt(3));
            case TICK -> unlessRefused(byHand.defragmenter::tick);
            case MAKE_ROOM -> byHand.uncommitter.uncommit(1 + random.nextInt(8));
            case RENEW -> byHand.uncommitter.renewCold();
            case HEAL -> heal();
        }
    }

    /** Work that goes on by itself: it takes nothing from anybody, and commits nothing. */
    private void unlessRefused(Runnable work) {
        PageFigures before = space.statistics();
        work.run();
        PageFigures after = space.statistics();
        assertThat(after.takenBytes()).isEqualTo(before.takenBytes());
        assertThat(after.committedTotalBytes()).isEqualTo(before.committedTotalBytes());
        assertThat(after.uncommittedTotalBytes()).isEqualTo(before.uncommittedTotalBytes());
    }

    private void takeExactly(int count) {
        take(count, count, false);
    }

    private void take(int least, int most, boolean inLine) {
        boolean zero = random.nextInt(4) == 0;
        NavigableMap<Long, Integer> runs = model.warmRuns();
        int longest = runs.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        long systemCalls = systemCalls();
        Extent page = attempt(least, most, zero, inLine);
        if (page == null) {
            return;
        }
        assertThat(page.count).isBetween(least, most);
        if (longest >= least) {
            int largest = least == most ? most : Integer.highestOneBit(longest);
            assertThat(page.count).isEqualTo(Math.min(most, largest));
            if (!zero) {
                assertThat(systemCalls()).as("no system call").isEqualTo(systemCalls);
            }
            checkPlace(page, runs);
        }
        if (zero) {
            zeroTakes++;
            assertThat(PageFixture.firstByteThatIsNotZero(page)).isEqualTo(-1);
        }
        model.add(page, random.nextInt(page.count + 1));
    }

    /** Whether nothing limits addresses. */
    private boolean isRoomy() {
        long reservedMax = space.state.budget.limits.reservedMaxBytes();
        return space.state.provider.canUncommit()
                && reservedMax >= MemoryLimits.ADDRESS_SPACE_BYTES;
    }

    private void takeToGrow(int count) {
        boolean fits = count <= limit - model.takenGranules();
        try {
            boolean zero = random.nextInt(4) == 0;
            boolean far = isRoomy() && random.nextBoolean();
            Extent page = space.takeToGrow(Granules.bytes(count), zero, far);
            assertThat(page.count).isEqualTo(count);
            assertThat(PageModel.isOwnOrZero(page, 0)).isTrue();
            if (zero) {
                assertThat(PageFixture.firstByteThatIsNotZero(page)).isEqualTo(-1);
            }
            model.add(page, random.nextInt(count + 1));
        } catch (MemoryExhaustedException refusal) {
            assertThat(fits && mustSucceed()).as("refused: %s", refusal.getMessage()).isFalse();
        }
    }

    /** A page grows if, and unless calls fail only if, what lies behind it is free and allowed. */
    private void extend() {
        if (model.pages() == 0) {
            return;
        }
        PageModel.Owned owned = model.all().get(random.nextInt(model.pages()));
        int before = owned.count();
        int wanted = 1 + random.nextInt(ANY_MAX);
        boolean behind = model.freeBehind(owned, wanted - before);
        PageFigures now = space.statistics();
        long room = Granules.bytes(limit) - now.committedBytes();
        boolean extended = space.extend(owned.page, Granules.bytes(wanted));
        model.grew(owned);
        if (wanted <= before || !behind) {
            assertThat(extended).isEqualTo(wanted <= before);
            assertThat(owned.count()).isEqualTo(before);
            return;
        }
        if (extended) {
            extendedPages++;
            assertThat(owned.count()).isEqualTo(wanted);
        } else if (healed) {
            assertThat(Granules.bytes(wanted - before))
                    .as("room under the limit")
                    .isGreaterThan(room);
        }
    }

    /** Small pages come from the lowest granule that is warm, others from the end of a run. */
    private static void checkPlace(Extent page, NavigableMap<Long, Integer> runs) {
        if (page.count == 1) {
            assertThat(page.address()).isEqualTo(runs.firstKey());
        } else {
            Map.Entry<Long, Integer> run = runs.floorEntry(page.address());
            assertThat(page.address() + page.bytes())
                    .isEqualTo(run.getKey() + Granules.bytes(run.getValue()));
        }
    }

    private long systemCalls() {
        return CALLS.stream().mapToLong(provider::calls).sum();
    }

    private @Nullable Extent attempt(int least, int most, boolean zero, boolean inLine) {
        boolean fits = least <= limit - model.takenGranules();
        long bytes = Granules.bytes(most) - (inLine ? random.nextLong(4096) : 0);
        try {
            Extent page =
                    inLine
                            ? space.takeOrWait(bytes, zero, new Deadline(0, () -> false))
                            : least == most
                                    ? space.take(bytes, zero)
                                    : space.take(Granules.bytes(least), bytes, zero);
            assertThat(fits).as("what does not fit under the limit is refused").isTrue();
            return page;
        } catch (MemoryExhaustedException refusal) {
            refused++;
            assertThat(fits && mustSucceed()).as("refused: %s", refusal.getMessage()).isFalse();
            String why = failing && !healed ? "(injected |edMaxBytes=)" : "edMaxBytes=";
            assertThat(refusal.getMessage()).containsPattern(why);
            if (inLine && !failing) {
                assertThat(refusal).hasMessageContaining("timeoutMillis=0");
            }
            return null;
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this thread", e);
        }
    }

    /** Whether enough room is all that a request needs. */
    private boolean mustSucceed() {
        boolean addresses =
                space.state.budget.limits.reservedMaxBytes() > Granules.bytes(16L * limit);
        return healed && addresses && space.state.provider.canUncommit();
    }

    private void pick(int count) {
        for (int i = 0; i < count && model.pages() > 0; i++) {
            List<PageModel.Owned> all = model.all();
            give(all.get(random.nextInt(all.size())));
        }
    }

    private void give(PageModel.Owned owned) {
        model.remove(owned);
        long more = Granules.bytes(owned.count()) - owned.paintedBytes();
        space.give(owned.page, owned.paintedBytes() + (more > 0 ? random.nextLong(more) : 0));
        lowWater.look(space.statistics());
    }

    private void write() {
        if (model.pages() > 0) {
            PageModel.Owned owned = model.all().get(random.nextInt(model.pages()));
            model.paint(owned, 1 + random.nextInt(owned.count()));
        }
    }

    private void trim() {
        long before = space.statistics().committedBytes();
        long trimmed = space.trim();
        assertThat(space.statistics().committedBytes()).isEqualTo(before - trimmed);
        if (healed && space.state.provider.canUncommit()) {
            PageFigures now = space.statistics();
            assertThat(now.committedBytes()).isEqualTo(now.takenBytes());
            assertThat(PageFixture.hasWaste(space)).isFalse();
        }
    }

    /** What is uncommitted was free for a whole period in which nothing was committed. */
    private void slice() {
        PageFigures before = space.statistics();
        long most = lowWater.slice(before);
        byHand.decay.slice();
        PageFigures after = space.statistics();
        long uncommitted = after.uncommittedTotalBytes() - before.uncommittedTotalBytes();
        assertThat(uncommitted).as("free for a period").isLessThanOrEqualTo(most);
        assertThat(after.committedTotalBytes()).isEqualTo(before.committedTotalBytes());
        lowWater.uncommitted(uncommitted);
        decayedBytes += uncommitted;
    }

    /** Makes calls fail, or none. */
    private void heal() {
        healed = !healed;
        provider.heal();
        if (!healed) {
            for (Call call : CALLS) {
                boolean[] fails = new boolean[1 << 10];
                for (int i = 0; i < fails.length; i++) {
                    fails[i] = random.nextInt(FAILS_ONE_IN) == 0;
                }
                provider.failWhen(call, n -> fails[(int) n % fails.length], Errno.ENOMEM);
            }
        }
    }
}
