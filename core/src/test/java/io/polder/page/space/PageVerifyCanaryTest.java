package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.MemoryLimits;
import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Each {@code verify()} throws when what it looks at was broken on purpose. */
class PageVerifyCanaryTest extends PageFixture {
    private final PageSpace space =
            space(
                    new MemoryLimits(64 * MIB, MemoryLimits.ADDRESS_SPACE_BYTES),
                    new PageSettings(TimeUnit.DAYS.toNanos(1), false, false));
    private final Extent first = space.take(2 * MIB, false);
    private final Extent page = space.take(6 * MIB, false);
    private final Extent free = space.take(4 * MIB, false);
    private final PageReservation reservation = page.reservation();
    private static final int SIZE_MAX = 1 << 20;

    private Runnable repair = () -> {};

    @BeforeEach
    void freeOne() {
        space.give(free, 2 * MIB);
        PageCheck.verifyAtRest(space);
    }

    @AfterEach
    void repairAndGive() {
        repair.run();
        PageCheck.verifyAtRest(space);
        give(first, page);
    }

    private void assertBroken(String rule) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> PageCheck.verify(space))
                .withMessageContaining(rule);
    }

    /** The value of a private field. */
    private static Object get(Object owner, String name) {
        try {
            return field(owner, name).get(owner);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static Field field(Object owner, String name) {
        for (Class<?> of = owner.getClass(); of != null; of = of.getSuperclass()) {
            for (Field field : of.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new AssertionError("no such field: name=" + name);
    }

    /** Sets a private field, until the end of the test. */
    private void set(Object owner, String name, Object value) {
        Object before = get(owner, name);
        put(owner, name, value);
        repair = () -> put(owner, name, before);
    }

    private static void put(Object owner, String name, Object value) {
        try {
            field(owner, name).set(owner, value);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private void add(Object owner, String name) {
        Object value = get(owner, name);
        set(
                owner,
                name,
                value instanceof Integer i ? (Object) (i + 1) : (Object) ((long) value + 1));
    }

    private @Nullable Extent[] held() {
        return (@Nullable Extent[]) get(reservation, "held");
    }

    private byte[] kinds() {
        return (byte[]) get(reservation, "kinds");
    }

    @Test
    void verify_nothingBroken_isQuiet() {
        PageCheck.verifyAtRest(space);
        assertThat(PageCheck.letters(reservation)).contains("Ttt").contains("dw");
    }

    @Test
    void verify_extentMissing_throws() {
        @Nullable Extent[] held = held();
        held[page.first] = null;
        repair = () -> held[page.first] = page;
        assertBroken("a held granule has an extent");
    }

    @Test
    void verify_extentInTheMiddle_throws() {
        @Nullable Extent[] held = held();
        held[page.first + 1] = page;
        repair = () -> held[page.first + 1] = null;
        assertBroken("the granules of an extent are held");
    }

    @Test
    void verify_extentInAFreeRun_throws() {
        @Nullable Extent[] held = held();
        held[free.first] = page;
        repair = () -> held[free.first] = null;
        assertBroken("an extent stands at its first granule");
    }

    @Test
    void verify_extentTooLong_throws() {
        page.count = SIZE_MAX;
        repair = () -> page.count = 3;
        assertBroken("an extent has granules of its reservation");
    }

    @Test
    void verify_extentMovedAway_throws() {
        page.first++;
        repair = () -> page.first--;
        assertBroken("an extent knows its granules");
    }

    @Test
    void verify_granuleOfAnExtentFree_throws() {
        byte[] kinds = kinds();
        kinds[page.first + 1] = Kind.COLD;
        repair = () -> kinds[page.first + 1] = Kind.HELD;
        assertBroken("the granules of an extent are held");
    }

    @Test
    void verify_neighboursNotFused_throws() {
        int[] runs = (int[]) get(reservation, "runs");
        runs[free.first]--;
        repair = () -> runs[free.first]++;
        assertBroken("a run knows its length at both ends");
    }

    @Test
    void verify_runNotInItsIndex_throws() {
        reservation.index(Kind.WARM).remove(free.first, 2);
        repair = () -> reservation.index(Kind.WARM).add(free.first, 2);
        assertBroken("a free run is in its index");
    }

    @Test
    void verify_runThatIsNot_inTheIndex_throws() {
        reservation.index(Kind.WARM).add(page.first, page.count);
        repair = () -> reservation.index(Kind.WARM).remove(page.first, page.count);
        assertBroken("a set holds exactly the free runs of its class");
    }

    @Test
    void verify_slotCountedWrong_throws() {
        BitTree[] slots = (BitTree[]) get(reservation.index(Kind.WARM), "slots");
        add(slots[2], "count");
        assertBroken("the bits that are set are counted");
    }

    @Test
    void verify_slotWithoutRunsPresent_throws() {
        RunIndex warm = reservation.index(Kind.WARM);
        set(warm, "present", warm.present | 1L << 40);
        assertBroken("a slot is present if it has runs");
    }

    @Test
    void verify_granulesOfASlotCountedWrong_throws() {
        long[] granules = (long[]) get(reservation.index(Kind.WARM), "granules");
        granules[40]++;
        repair = () -> granules[40]--;
        assertBroken("the granules of a slot are counted");
    }

    @Test
    void verify_startMissingAmongAll_throws() {
        BitTree all = (BitTree) get(reservation.index(Kind.COLD), "all");
        int first = all.first();
        all.clear(first);
        all.set(first + 1);
        repair =
                () -> {
                    all.clear(first + 1);
                    all.set(first);
                };
        assertBroken("a free run is in its index");
    }

    @Test
    void verify_levelOfTheSet_throws() {
        BitTree tree = new BitTree(5000);
        tree.set(4000);
        PageCheck.verify(tree);
        ((long[]) get(tree, "words"))[0] = 0;
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> PageCheck.verify(tree))
                .withMessageContaining("a bit says whether the word below is zero");
    }

    @Test
    void verify_dirtBelowWhereItIsSought_throws() {
        set(reservation.dirt, "dirtyFrom", SIZE_MAX);
        assertBroken("no warm granule below is dirty");
    }

    @Test
    void verify_dirtCountedWrong_throws() {
        add(reservation.dirt, "dirtyCount");
        assertBroken("dirt is counted");
    }

    @Test
    void verify_boundariesOfAReservation_throws() {
        add(reservation.moved, "boundaries");
        assertBroken("boundaries are where one of two granules is moved");
    }

    @Test
    void verify_movedUncounted_throws() {
        boolean[] moved = (boolean[]) get(reservation.moved, "moved");
        moved[3] = true;
        repair = () -> moved[3] = false;
        assertBroken("boundaries are where one of two granules is moved");
    }

    @Test
    void verify_eachSum_throws() {
        for (String sum :
                List.of(
                        "taken",
                        "takenCount",
                        "warmFree",
                        "isolated",
                        "isolatedCount",
                        "committedBytes")) {
            add(space.state, sum);
            assertBroken("a sum is what the extents add up to: name=" + sum);
            repair.run();
        }
    }

    @Test
    void verify_eachSumOfTheVirtualSpace_throws() {
        Map<String, String> rules =
                Map.of(
                        "reservedBytes", "reserved == sum of the reserved spaces",
                        "reservedCharged", "reserved and coming == charged by the space",
                        "committedCharged", "committed == charged by the space",
                        "committedTotalBytes", "committed == committedTotal - uncommittedTotal",
                        "uncommittedTotalBytes", "committed == committedTotal - uncommittedTotal");
        rules.forEach(
                (sum, rule) -> {
                    add(space.state, sum);
                    assertBroken(rule);
                    repair.run();
                });
    }

    @Test
    void verify_isolatedAtRest_throws() {
        Extent isolated = new Extent(false);
        synchronized (space.state) {
            isolated.prepared(reservation, free.first, 1, new Isolation(space.state));
            space.state.isolateLocked(isolated);
        }
        repair =
                () -> {
                    synchronized (space.state) {
                        space.state.putBackLocked(isolated);
                    }
                };
        PageCheck.verify(space);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> PageCheck.verifyAtRest(space))
                .withMessageContaining("name=isolated");
    }

    @Test
    void verify_tooManyMappings_throws() {
        set(space.state, "mappingsMax", 0L);
        assertBroken("pages stay within their share of mappings");
    }
}
