package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** Regions that are closed near the end of the stack. */
class RegionsTest extends SpaceFixture {
    private static final int ROUNDS = 20;
    private static final int FRAMES = 400;
    private static final long STACK_BYTES = 256 << 10;

    private @Nullable Region region;
    private boolean isLost;
    private int cutOff;

    @AfterEach
    void closeAll() {
        regions.closeAll(); // also those whose opening was cut off
    }

    /** Then it is empty, and open as before: it is closed like others when somebody looks again. */
    @Test
    void closeToReopen_isCutOff_regionIsOpenStillOrHasNoPage() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            Region full = regions.open(RegionType.SMALL, RegionType.SMALL.bytes);
            full.retire();
            region = full;
            Thread deep = new Thread(null, this::run, "deep", STACK_BYTES);
            deep.start();
            Await.end(deep);
            assertThat(isLost).as("round %d", round).isFalse();
            assertThat(full.open).isFalse();
            assertThat(regions.copy(false)).as("round %d", round).doesNotContain(full);
        }
        assertThat(cutOff).isPositive();
        assertThat(regions.list()).as("can be seen").allMatch(each -> each.open);
        assertThat(regions.count()).isNotNegative();
    }

    /** Where none is opened any more the list is as long as it has been, until somebody looks. */
    @Test
    void close_mostOfThem_listForgetsThem() {
        List<WeakReference<Region>> many = new ArrayList<>();
        Region kept = regions.open(RegionType.SMALL, RegionType.SMALL.bytes);
        for (int i = 0; i < 20; i++) {
            Region other = regions.open(RegionType.SMALL, RegionType.SMALL.bytes);
            many.add(new WeakReference<>(other));
            assertThat(regions.close(other)).isEqualTo(other.bytes());
        }
        assertThat(regions.list()).containsExactly(kept);
        Await.until(
                () -> {
                    System.gc();
                    return many.stream().allMatch(each -> each.refersTo(null));
                });
    }

    private void run() {
        int _ = fromTheEnd();
    }

    @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
    private int fromTheEnd() {
        int above;
        try {
            above = fromTheEnd();
        } catch (StackOverflowError end) {
            above = 0;
        }
        Region closed = region;
        if (above < FRAMES && closed != null && closed.open) {
            try {
                Region _ = regions.closeToReopen(closed);
            } catch (StackOverflowError end) {
                cutOff++;
                isLost |= !closed.open && closed.page != null;
            }
        }
        return above + 1;
    }
}
