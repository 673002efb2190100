package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Zeroing;

import org.junit.jupiter.api.Test;

import java.util.List;

/** What is dirty and free is cleaned for those who need zeros. */
class CleanerTest extends PageFixture {
    private static final long LIMIT = 64 * MIB;

    @Test
    void cleaner_cleansFreeGranules_andKeepsRuns() {
        PageSpace space = space(LIMIT);
        Extent page = space.take(16 * MIB, false);
        paint(List.of(page));
        space.give(page, page.bytes());
        Cleaner cleaner = new Cleaner(space.state);
        assertThat(cleaner.cleanFree(3)).isEqualTo(3);
        assertThat(space.statistics().freeDirtyBytes()).isEqualTo(10 * MIB);
        assertThat(space.largestRunBytes()).isEqualTo(16 * MIB);
        assertThat(cleaner.cleanFree(100)).isEqualTo(5);
        assertThat(cleaner.cleanFree(100)).isZero();
        PageCheck.verifyAtRest(space);
        Extent clean = space.take(16 * MIB, false);
        for (int granule = clean.first; granule < clean.end(); granule++) {
            assertThat(clean.reservation().dirt.dirty[granule]).isZero();
        }
        assertThat(firstByteThatIsNotZero(clean)).isEqualTo(-1);
        give(clean);
    }

    /** Nobody asked for zeros: nothing is cleaned. */
    @Test
    void cleaner_nobodyNeedsZeros_doesNothing() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        give(fill(space));
        for (int i = 0; i < 10; i++) {
            byHand.defragmenter.tick();
        }
        assertThat(space.statistics().freeDirtyBytes()).isEqualTo(LIMIT);
    }

    @Test
    void cleaner_zerosAskedFor_areReadyForTheNext() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        give(fill(space));
        Extent first = space.take(8 * MIB, true);
        give(first);
        for (int i = 0; i < 20; i++) {
            byHand.defragmenter.tick();
        }
        assertThat(space.statistics().freeDirtyBytes())
                .isLessThanOrEqualTo(LIMIT - 8 * MIB + 2 * MIB);
    }

    /** Where huge pages are the system's default, it brings 2 MiB with the first byte. */
    private Extent inSmallPages(Extent extent) {
        boolean _ = provider.adviseHugePages(extent.address(), extent.bytes(), false);
        return extent;
    }

    /** Where an owner touched little, cleaning brings no memory to the rest. */
    @Test
    void clean_littleTouched_bringsNoMemory() {
        PageSpace space = space(LIMIT);
        Extent page = inSmallPages(space.take(32 * MIB, false));
        Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, page.address(), 1);
        space.give(page, page.bytes());
        assertThat(new Cleaner(space.state).cleanFree(4)).isEqualTo(4);
        Extent zero = space.take(32 * MIB, true);
        if (provider.canUncommit()) {
            assertThat(provider.residentBytes(zero.address(), zero.bytes()))
                    .isLessThan(PageSpace.GRANULE_BYTES / 2);
        }
        assertThat(firstByteThatIsNotZero(zero)).isEqualTo(-1);
        give(zero);
    }

    /** What was zeroed has memory, so that nobody asks the system again. */
    @Test
    void clean_zeroedBefore_asksNothing() {
        PageSpace space = space(LIMIT);
        for (int i = 0; i < 4; i++) {
            Extent page = space.take(6 * MIB, true);
            assertThat(firstByteThatIsNotZero(page)).isEqualTo(-1);
            paint(List.of(page));
            Zeroing.ADDRESS_SPACE.asSlice(page.address(), page.bytes()).fill((byte) 7);
            space.give(page, page.bytes());
            assertThat(asked()).isEqualTo(i == 0 ? 0 : 3);
        }
    }

    /** More than was zeroed is dirty: nobody knows whether that has memory. */
    @Test
    void clean_moreThanZeroedBefore_asks() {
        PageSpace space = space(LIMIT);
        for (long dirty = MIB / 2; dirty <= 2 * MIB; dirty += MIB / 2) {
            long askedBefore = asked();
            Extent page = small(space);
            Zeroing.ADDRESS_SPACE.asSlice(page.address(), dirty).fill((byte) 7);
            space.give(page, dirty);
            Extent zero = space.take(1, true);
            assertThat(zero.address()).isEqualTo(page.address());
            assertThat(asked()).isEqualTo(askedBefore + 1);
            assertThat(firstByteThatIsNotZero(zero)).isEqualTo(-1);
            space.give(zero, 0);
        }
    }

    /** What was uncommitted has no memory, whatever was zeroed before. */
    @Test
    void clean_uncommittedSince_bringsNoMemory() {
        PageSpace space = space(LIMIT);
        Extent page = space.take(8 * MIB, true);
        Zeroing.ADDRESS_SPACE.asSlice(page.address(), page.bytes()).fill((byte) 7);
        space.give(page, page.bytes());
        give(space.take(8 * MIB, true));
        assertThat(space.trim()).isEqualTo(8 * MIB);
        Extent touched = inSmallPages(space.take(8 * MIB, true));
        Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, touched.address() + 4 * MIB, 1);
        space.give(touched, touched.bytes());
        Extent zero = space.take(8 * MIB, true);
        if (provider.canUncommit()) {
            assertThat(provider.residentBytes(zero.address(), zero.bytes())).isLessThan(MIB);
        }
        assertThat(firstByteThatIsNotZero(zero)).isEqualTo(-1);
        give(zero);
    }

    /** Only what was dirty of a granule is zeroed, and what is behind it gets no memory. */
    @Test
    void clean_partIsDirty_bringsMemoryToNoMore() {
        PageSpace space = space(LIMIT);
        long dirty = 2 * MIB + MIB / 2 + 1;
        Extent page = inSmallPages(space.take(6 * MIB, true));
        Zeroing.ADDRESS_SPACE.asSlice(page.address(), dirty).fill((byte) 7);
        space.give(page, dirty);
        Extent zero = space.take(6 * MIB, true);
        assertThat(zero.address()).isEqualTo(page.address());
        if (provider.canUncommit()) {
            assertThat(provider.residentBytes(zero.address(), zero.bytes())).isLessThan(3 * MIB);
        }
        assertThat(firstByteThatIsNotZero(zero)).isEqualTo(-1);
        give(zero);
    }

    /** What pages that grow left, the next one of them finds, and nobody else. */
    @Test
    void take_leftByPagesThatGrow_isClearedForOthers() {
        PageSpace space = space(LIMIT);
        for (boolean grows : new boolean[] {false, true}) {
            Extent first = space.takeToGrow(LIMIT, false, false);
            Zeroing.ADDRESS_SPACE.asSlice(first.address(), LIMIT).fill((byte) 7);
            space.give(first, LIMIT);
            Extent next = space.takeToGrow(LIMIT - 2 * MIB, false, false);
            assertThat(space.extend(next, LIMIT)).isTrue();
            assertThat(isFilled(next)).isTrue();
            space.give(next, LIMIT);
            Extent zero = grows ? space.takeToGrow(LIMIT, true, false) : space.take(LIMIT, true);
            assertThat(firstByteThatIsNotZero(zero)).isEqualTo(-1);
            space.give(zero, 0);
        }
    }

    /** What others left, even where one that grows was before, none that grows finds. */
    @Test
    void take_leftByOthers_isClearedForPagesThatGrow() {
        PageSpace space = space(LIMIT);
        Extent grown = space.takeToGrow(LIMIT, false, false);
        space.give(grown, LIMIT);
        Extent other = space.take(LIMIT, false);
        Zeroing.ADDRESS_SPACE.asSlice(other.address(), LIMIT).fill((byte) 7);
        space.give(other, LIMIT);
        Extent next = space.takeToGrow(LIMIT - 2 * MIB, false, false);
        assertThat(space.extend(next, LIMIT)).isTrue();
        assertThat(firstByteThatIsNotZero(next)).isEqualTo(-1);
        give(next);
    }

    private static boolean isFilled(Extent page) {
        for (long at = 0; at < page.bytes(); at += Long.BYTES) {
            long word = Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, page.address() + at);
            if (word != 0x0707_0707_0707_0707L) {
                return false;
            }
        }
        return true;
    }

    /** Who takes a page again and again finds it, and cleans it: the background lets it alone. */
    @Test
    void cleaner_pageTakenBetweenTicks_isLeftToWhoTakesIt() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        for (int i = 0; i < 50; i++) {
            Extent page = space.take(6 * MIB, true);
            Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, page.address(), 1);
            space.give(page, page.bytes());
            boolean _ = byHand.defragmenter.tick();
            assertThat(space.statistics().freeDirtyBytes()).isEqualTo(6 * MIB);
        }
        boolean _ = byHand.defragmenter.tick();
        assertThat(space.statistics().freeDirtyBytes()).isZero();
    }

    private long asked() {
        return ((Asked) provider.delegate()).asked;
    }

    @Override
    MemoryProvider real() {
        return new Asked(super.real());
    }

    /** Counts how often it is asked what has memory; by the thread of the test. */
    private static final class Asked extends DelegatingProvider {
        long asked;

        Asked(MemoryProvider delegate) {
            super(delegate);
        }

        @Override
        public long residentBytes(long address, long bytes) {
            asked++;
            return super.residentBytes(address, bytes);
        }
    }
}
