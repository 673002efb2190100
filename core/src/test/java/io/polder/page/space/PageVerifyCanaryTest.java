package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.MemoryLimits;
import io.polder.page.space.Extent.State;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;

/** Each {@code verify()} throws when what it looks at was broken on purpose. */
class PageVerifyCanaryTest extends PageFixture {
    private final PageSpace space =
            space(
                    new MemoryLimits(64 * MIB, MemoryLimits.ADDRESS_SPACE_BYTES),
                    new PageSettings(TimeUnit.DAYS.toNanos(1), false));
    private final Extent first = space.take(2 * MIB, false);
    private final Extent page = space.take(6 * MIB, false);
    private final Extent free = space.take(4 * MIB, false);
    private final Area area = page.area;
    private Runnable repair = () -> {};

    @BeforeEach
    void freeOne() {
        space.give(free, 2 * MIB);
        space.verifyAtRest();
    }

    @AfterEach
    void repairAndGive() {
        repair.run();
        space.verifyAtRest();
        give(first, page);
    }

    private void assertBroken(String rule) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(space::verify)
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
        try {
            Field field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new AssertionError(e);
        }
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

    private @Nullable Extent[] tags() {
        return (@Nullable Extent[]) get(area, "tags");
    }

    @Test
    void verify_nothingBroken_isQuiet() {
        space.verifyAtRest();
        assertThat(area.map()).contains("Ttt").contains("dw");
    }

    @Test
    void verify_lastTagMissing_throws() {
        @Nullable Extent[] tags = tags();
        tags[page.end() - 1] = null;
        repair = () -> tags[page.end() - 1] = page;
        assertBroken("an extent has both its tags");
    }

    @Test
    void verify_firstTagMissing_throws() {
        @Nullable Extent[] tags = tags();
        tags[page.first] = null;
        repair = () -> tags[page.first] = page;
        assertBroken("an extent has its tags");
    }

    @Test
    void verify_tagInTheMiddle_throws() {
        @Nullable Extent[] tags = tags();
        tags[page.first + 1] = page;
        repair = () -> tags[page.first + 1] = null;
        assertBroken("only ends have tags");
    }

    @Test
    void verify_extentTooLong_throws() {
        page.count++;
        repair = () -> page.count--;
        assertBroken("an extent has both its tags");
    }

    @Test
    void verify_extentMovedAway_throws() {
        page.first++;
        repair = () -> page.first--;
        assertBroken("extents follow each other");
    }

    @Test
    void verify_neighboursNotFused_throws() {
        Extent run = area.at(free.first);
        RunIndex index = area.index(State.WARM);
        int count = run.count;
        index.remove(run.first, count);
        Extent rest = area.split(run, 1);
        index.add(run.first, run.count);
        index.add(rest.first, rest.count);
        repair =
                () -> {
                    index.remove(run.first, run.count);
                    index.remove(rest.first, rest.count);
                    tags()[rest.first] = null;
                    run.count = count;
                    tags()[run.end() - 1] = run;
                    index.add(run.first, count);
                };
        assertBroken("free neighbours of one kind are one run");
    }

    @Test
    void verify_runNotInItsIndex_throws() {
        Extent run = area.at(free.first);
        area.index(State.WARM).remove(run.first, run.count);
        repair = () -> area.index(State.WARM).add(run.first, run.count);
        assertBroken("a free run is in its index");
    }

    @Test
    void verify_runThatIsNot_inTheIndex_throws() {
        area.index(State.WARM).add(page.first, page.count);
        repair = () -> area.index(State.WARM).remove(page.first, page.count);
        assertBroken("a set holds exactly the free runs of its class");
    }

    @Test
    void verify_levelOfTheSet_throws() {
        BitTree tree = new BitTree(5000);
        tree.set(4000);
        tree.verify();
        ((long[][]) get(tree, "levels"))[1][0] = 0;
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(tree::verify)
                .withMessageContaining("a bit says whether the word below is zero");
    }

    @Test
    void verify_dirtOutsideOfWarm_throws() {
        BitSet dirty = (BitSet) get(area, "dirty");
        dirty.set(page.first);
        repair = () -> dirty.clear(page.first);
        assertBroken("a dirty granule is in a warm run");
    }

    @Test
    void verify_dirtCountedWrong_throws() {
        add(area, "dirtyCount");
        assertBroken("dirt is counted");
    }

    @Test
    void verify_freeRunKnowsOfDirt_throws() {
        Extent run = area.at(free.first);
        run.dirty = Extent.FIRST;
        repair = () -> run.dirty = null;
        assertBroken("of free granules the area knows whether they are dirty");
    }

    @Test
    void verify_seamsOfAnArea_throws() {
        add(area, "seams");
        assertBroken("seams are where one of two granules is moved");
    }

    @Test
    void verify_movedUncounted_throws() {
        BitSet moved = (BitSet) get(area, "moved");
        moved.set(3);
        repair = () -> moved.clear(3);
        assertBroken("seams are where one of two granules is moved");
    }

    @Test
    void verify_eachSum_throws() {
        for (String sum :
                new String[] {
                    "reserved", "taken", "takenCount", "warmFree", "seams", "committed"
                }) {
            add(space.state(), sum);
            assertBroken("a sum is what the extents add up to: name=" + sum);
            repair.run();
        }
        add(space.state(), "claimed");
        assertBroken("a sum is what the extents add up to: name=committed");
    }

    @Test
    void verify_claimedAtRest_throws() {
        Extent claimed;
        try (PageLock _ = space.state().lock()) {
            claimed = space.state().claimWarmLocked(area.at(free.first), free.first, 1);
        }
        repair =
                () -> {
                    try (PageLock _ = space.state().lock()) {
                        space.state().returnWarmLocked(claimed);
                    }
                };
        space.verify();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(space::verifyAtRest)
                .withMessageContaining("name=claimed");
    }

    @Test
    void verify_tooManyMappings_throws() {
        set(space, "mappingsMax", 0L);
        assertBroken("pages stay within their share of mappings");
    }
}
