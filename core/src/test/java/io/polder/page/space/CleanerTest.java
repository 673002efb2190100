package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

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
        Cleaner cleaner = new Cleaner(space.state());
        assertThat(cleaner.cleanFree(3)).isEqualTo(3);
        assertThat(space.statistics().freeDirtyBytes()).isEqualTo(10 * MIB);
        assertThat(space.statistics().largestRunBytes()).isEqualTo(16 * MIB);
        assertThat(cleaner.cleanFree(100)).isEqualTo(5);
        assertThat(cleaner.cleanFree(100)).isZero();
        space.verifyAtRest();
        Extent clean = space.take(16 * MIB, false);
        for (int granule = clean.first; granule < clean.end(); granule++) {
            assertThat(clean.reservation().dirt.isDirty(granule)).isFalse();
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

    /** Where an owner touched little, cleaning brings no memory to the rest. */
    @Test
    void clean_littleTouched_bringsNoMemory() {
        PageSpace space = space(LIMIT);
        Extent page = space.take(32 * MIB, false);
        Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, page.address(), 1);
        space.give(page, page.bytes());
        assertThat(new Cleaner(space.state()).cleanFree(4)).isEqualTo(4);
        Extent zero = space.take(32 * MIB, true);
        if (provider.canUncommit()) {
            assertThat(provider.residentBytes(zero.address(), zero.bytes()))
                    .isLessThan(PageSpace.GRANULE_BYTES / 2);
        }
        assertThat(firstByteThatIsNotZero(zero)).isEqualTo(-1);
        give(zero);
    }
}
