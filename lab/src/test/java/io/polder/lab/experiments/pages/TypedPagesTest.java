package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.experiments.pages.PageSource.Taken;
import io.polder.memory.Zeroing;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

@EnabledOnOs(OS.LINUX)
class TypedPagesTest {
    private static final long SMALL = 2 << 20;
    private static final long MEDIUM = 32 << 20;

    private final TypedPages pages = new TypedPages(2 * MEDIUM);
    private final List<Taken> taken = new ArrayList<>();

    @AfterEach
    void close() {
        pages.verify();
        taken.forEach(page -> pages.give(page, 0));
        pages.verify();
        pages.close();
    }

    @Test
    void take_afterGive_isTheNewestOfItsType() {
        Taken first = take(SMALL);
        Taken second = take(SMALL);
        give(first);
        give(second);

        assertThat(take(SMALL)).isEqualTo(second);
        assertThat(take(SMALL)).isEqualTo(first);
        assertThat(pages.holdings().assembledOnAllocation()).isZero();
    }

    @Test
    void take_smallWhereAllIsMedium_flushesAWholeMediumPage() {
        give(take(MEDIUM));
        Taken kept = take(MEDIUM);
        Taken other = take(MEDIUM);
        give(other);

        take(SMALL);

        assertThat(pages.holdings().assembledOnAllocation()).isEqualTo(1);
        assertThat(pages.holdings().movedBytes()).isEqualTo(MEDIUM);
        for (int i = 1; i < 16; i++) {
            take(SMALL);
        }
        // The rest of the flushed page was enough for those.
        assertThat(pages.holdings().assembledOnAllocation()).isEqualTo(1);
        assertThat(taken).contains(kept);
    }

    @Test
    void take_mediumWhereAllIsSmall_flushesTheOldest() {
        for (int i = 0; i < 32; i++) {
            take(SMALL);
        }
        List<Taken> given = List.copyOf(taken.subList(0, 17));
        given.forEach(this::give);

        take(MEDIUM);

        assertThat(pages.holdings().assembledOnAllocation()).isEqualTo(1);
        assertThat(pages.holdings().movedBytes()).isEqualTo(MEDIUM);
        // The newest is still cached.
        assertThat(take(SMALL)).isEqualTo(given.getLast());
    }

    @Test
    void take_whereTooLittleIsFree_isRefusedAndChangesNothing() {
        take(MEDIUM);
        for (int i = 0; i < 5; i++) {
            take(SMALL);
        }
        give(taken.getLast());

        assertThat(pages.take(MEDIUM, MEDIUM)).isNull();
        assertThat(pages.holdings().assembledOnAllocation()).isZero();
    }

    @Test
    void take_anotherSize_isMisuse() {
        assertThatThrownBy(() -> pages.take(4 << 20, MEDIUM))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one of two sizes");
    }

    @Test
    void random_noGranuleIsInTwoPages() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int refused = 0;
        int gives = 0;
        for (int i = 0; i < 8000; i++) {
            // It fills up and empties, in turns, so that pages of both types are free now and then.
            int givesOfHundred = i / 100 % 2 == 0 ? 25 : 75;
            if (!taken.isEmpty() && random.nextInt(100) < givesOfHundred) {
                Taken page = taken.get(random.nextInt(taken.size()));
                requirePaint(page, seed);
                give(page);
                gives++;
            } else {
                long bytes = random.nextInt(6) == 0 ? MEDIUM : SMALL;
                Taken page = pages.take(bytes, bytes);
                if (page == null) {
                    refused++;
                } else {
                    taken.add(page);
                    paint(page);
                }
            }
            pages.verify();
        }
        taken.forEach(page -> requirePaint(page, seed));
        assertThat(pages.holdings().assembledOnAllocation()).as("seed=%d", seed).isGreaterThan(10);
        assertThat(refused).as("seed=%d", seed).isGreaterThan(10);
        assertThat(gives).as("seed=%d", seed).isGreaterThan(2000);
    }

    private static void paint(Taken page) {
        for (long at = 0; at < page.bytes(); at += SMALL) {
            Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_LONG, page.address() + at, page.address());
        }
    }

    private static void requirePaint(Taken page, long seed) {
        for (long at = 0; at < page.bytes(); at += SMALL) {
            assertThat(Zeroing.ADDRESS_SPACE.get(ValueLayout.JAVA_LONG, page.address() + at))
                    .as("seed=%d", seed)
                    .isEqualTo(page.address());
        }
    }

    private Taken take(long bytes) {
        Taken page = Objects.requireNonNull(pages.take(bytes, bytes));
        taken.add(page);
        return page;
    }

    private void give(Taken page) {
        assertThat(taken.remove(page)).isTrue();
        pages.give(page, page.bytes());
    }
}
